import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { JobError } from '../../../actors/video-job/job-record.ts';
import { CANDIDATES_MAX, type FrozenCandidate } from '../../../actors/video-job/render-ask.ts';
import { invalid, notFound } from '../../terms/gateway-error.ts';
import type { Rejection } from '../../terms/plan.ts';
import type { VideoRequest } from '../../terms/video-request.ts';
import type { PromptSizes } from '../../tokens/measure-prompt.ts';
import type { RuleViolation } from '../eligibility/rule-violation.ts';
import { constraintsOf, type RoutingDefaults, sharedConstraints } from '../endpoints/constraints.ts';
import { endpointIndex, type IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import { resolve } from '../endpoints/resolve.ts';
import { noEndpoint } from '../no-endpoint.ts';
import { type Eligible, order } from '../order.ts';
import { promptOf } from '../prompt.ts';
import { rejectionOf } from '../rejection-causes.ts';
import { unknownModel } from '../unknown-model.ts';
import { firstPick, withoutOptions } from '../without-options.ts';
import { acceptedLengths, isWithinLengths } from './duration.ts';
import { fitVideo } from './fit-video.ts';
import { acceptedReferences } from './references.ts';
import { carriedAssets, videoTurn } from './video-turn.ts';

/** Where a job may render. */
export interface VideoPlan {
  /** In the order in which they are tried; empty for a job that no endpoint can render. */
  readonly candidates: readonly FrozenCandidate[];
  readonly rejections: readonly Rejection[];
  readonly unrenderable: JobError | null;
  /** Named by the hold of a job without candidates. */
  readonly endpoint: Endpoint;
}

interface VideoPlanOptions {
  /** Uniform in [0, 1): spreads the load. */
  readonly seed: number;
  /** Store time, ms: prices with a window are read at this instant. */
  readonly at: number;
  readonly defaults: RoutingDefaults;
  /** Of the prompt, by every vocabulary of the model's endpoints. */
  readonly sizes: PromptSizes;
}

interface Found extends Pick<Eligible, 'indexed'> {
  readonly endpoint: Endpoint;
  readonly frozen: FrozenCandidate;
}

/**
 * Plans where a video may be rendered, by the rules of turns and by the limits that endpoints declare for videos. Pure.
 * Throws 404 where no endpoint of the model renders videos, 400 for a length, references, a missing prompt, options or
 * adapters that none of them takes, 503 with the reasons otherwise. A geometry that none of them renders, and a length
 * off their grids, are no refusal: the job fails on them. (rule V11, rule V9)
 */
export function planVideo(
  request: VideoRequest,
  board: ReadonlyMap<string, Json>,
  options: VideoPlanOptions,
): VideoPlan {
  const turn = videoTurn(request);
  const models = endpointIndex(board);
  const named = resolve(models, request.model);
  if (!named) throw unknownModel(request.model, board, 'video');
  const rendering = named.endpoints.filter(({ endpoint }) => endpoint.envelopes.video !== undefined);
  const [first] = rendering;
  if (!first) throw noVideoEndpoint(request.model, named.endpoints[0]?.endpoint.model ?? null);
  refuseImpossibleLength(request, rendering);
  const shared = { ...sharedConstraints(turn, 0, options.defaults), carried: carriedAssets(request) };
  const constraints = constraintsOf(shared, named);
  const rejections: Rejection[] = [];
  const eligible: Eligible<Found>[] = [];
  for (const indexed of rendering) {
    const fit = fitVideo(indexed, { request, constraints, at: options.at });
    const violation = 'violation' in fit ? fit.violation : tooLong(indexed, request, options.sizes);
    if ('violation' in fit || violation !== null)
      rejections.push(rejectionOf(indexed, violation as RuleViolation, turn));
    else {
      const candidate = { indexed: fit.priced, endpoint: indexed.endpoint, frozen: fit.candidate };
      eligible.push({ indexed: fit.priced, candidate, group: 0, value: 0 });
    }
  }
  order(eligible, turn, {
    seed: options.seed,
    at: options.at,
    conversation: null,
    sort: named.sort ?? request.preferences.sort,
  });
  const ordered = eligible.map(({ candidate }) => candidate);
  const admitted = firstPick(turn, withoutOptions(turn, ordered, rejections), rejections);
  const candidates = admitted.slice(0, CANDIDATES_MAX).map(({ frozen }) => frozen);
  const plan = { candidates, rejections, unrenderable: null, endpoint: first.endpoint };
  if (candidates.length > 0) return plan;
  refuseCallersFault(request, rejections, rendering);
  const refusal = noEndpoint(turn, rejections);
  if (!rejections.every(({ reason }) => UNRENDERABLE.has(reason))) throw refusal;
  return { ...plan, unrenderable: { code: 422, message: refusal.message, error_type: 'unprocessable' } };
}

/** Reasons that fail a job and refuse no request. References are among them: others take those. */
const UNRENDERABLE: ReadonlySet<Rejection['reason']> = new Set(['geometry', 'duration', 'references']);

/** The model is served, but no endpoint of it renders videos. (rule V5) */
function noVideoEndpoint(requested: string, resolved: string | null): Error {
  const metadata = { requested: requested.slice(0, 256), resolved, reason: 'no_video_endpoint' };
  return notFound(`Model ${metadata.requested} has no active video endpoint`, metadata);
}

function tooLong(
  { endpoint, vocabulary }: IndexedEndpoint,
  request: VideoRequest,
  sizes: PromptSizes,
): RuleViolation | null {
  const size = sizes.get(vocabulary);
  if (request.prompt === null || size === undefined) return null;
  const { counted } = promptOf(videoTurn(request), size).tokens;
  const most = Math.min(endpoint.contextLength, endpoint.promptTokensMax ?? endpoint.contextLength);
  if (counted <= most) return null;
  return { reason: 'context_length', detail: `about ${counted} tokens, at most ${most} are accepted` };
}

/** 400 where no endpoint of the model renders such a length, whatever else is asked for. */
function refuseImpossibleLength({ duration }: VideoRequest, rendering: readonly IndexedEndpoint[]): void {
  if (duration === null) return;
  const endpoints = rendering.map(({ endpoint }) => endpoint);
  if (endpoints.some((endpoint) => isWithinLengths(endpoint, duration))) return;
  throw invalid(
    `duration: no endpoint of this model renders ${duration} seconds; they render ${acceptedLengths(endpoints)}`,
  );
}

/** 400 where the request itself is at fault at every endpoint that could render it. */
function refuseCallersFault(
  { assets }: VideoRequest,
  rejections: readonly Rejection[],
  rendering: readonly IndexedEndpoint[],
): void {
  const adapters = rejections.find(({ reason }) => reason === 'adapters');
  if (adapters) throw invalid(`provider.options.${adapters.provider}.adapters: ${adapters.detail}`);
  if (rejections.every(({ reason }) => reason === 'references')) {
    const unfit = [...new Set(rejections.map(({ detail }) => detail))].slice(0, SHOWN_MAX).join('; ');
    const member = assets.every(({ member }) => member.startsWith('frame_images'))
      ? 'frame_images'
      : 'input_references';
    throw invalid(`${member}: no endpoint takes ${unfit}; they accept ${acceptedReferences(rendering)}`);
  }
  if (rejections.every(({ member }) => member === 'prompt')) {
    throw invalid('prompt is required: no endpoint of this model renders without one');
  }
}

const SHOWN_MAX = 5;
