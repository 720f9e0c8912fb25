import { findSubmission } from '../../../actors/account/idempotency.ts';
import { AskError, type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import type { Idempotency } from '../../../actors/terms/hold.ts';
import { videoJobId } from '../../../actors/terms/ids.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { compare } from '../../../actors/terms/usd.ts';
import type { NewHold, NewVideoJob, VideoBounds } from '../../../actors/video-job/job.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import type { FrozenCandidate, RenderAsk } from '../../../actors/video-job/render-ask.ts';
import { findVideoJob, submitVideo } from '../../../actors/video-job/video-job.ts';
import type { FileServices } from '../../files/file-services.ts';
import type { Planner } from '../../inference/planner.ts';
import { boundedRoute } from '../../inference/route-decision.ts';
import type { VideoPlan } from '../../routing/video/plan-video.ts';
import type { Attribution, Caller } from '../../terms/caller.ts';
import { rejectionOf, unavailable } from '../../terms/gateway-error.ts';
import type { VideoRequest } from '../../terms/video-request.ts';
import { sealAssets } from './seal-assets.ts';
import { sealPrompt } from './seal-prompt.ts';

/** What a submission takes of its node. */
export interface SubmittingServices {
  readonly files: FileServices;
  readonly planner: Pick<Planner, 'planVideo'>;
  readonly bounds: VideoBounds;
  /** True while the store has room only for work under way: nothing new may be held. */
  readonly storeFull: () => boolean;
}

interface VideoSubmission {
  readonly request: VideoRequest;
  /** Generation id, fixed when the request was accepted. */
  readonly generation: string;
  readonly caller: Caller;
  readonly attribution: Attribution;
  readonly idempotency: Idempotency | undefined;
  /** True once the client has left: nothing is stored then. */
  readonly isGone: () => boolean;
}

/** Longer than the advice for a restart: disk space does not return by itself. */
const FULL_AFTER_SECONDS = 5;

/**
 * Plans a video, seals its prompt, stores its assets and creates its job, whose money is held in the same commit.
 * Rejects with GatewayError 400, 402, 404, 422, 429 or 503; nothing is stored then but a blob of assets without an
 * owner, which the sweep removes. (rule V1, rule V12)
 */
export async function submitVideoRequest(
  services: SubmittingServices,
  submission: VideoSubmission,
): Promise<JobRecord> {
  const { files, planner } = services;
  const { cluster, random } = files;
  const { request, caller, isGone } = submission;
  const account = ownerOf(caller.key);
  const recorded = await recordedJob(cluster, account, submission.idempotency);
  if (recorded !== null) return recorded;
  if (services.storeFull()) throw unavailable('the disk of the store is full', FULL_AFTER_SECONDS);
  const plan = await planner.planVideo(request, caller);
  const id = videoJobId(random, cluster.now());
  const prompt = await sealPrompt(files, { account, job: id }, request.prompt);
  const { blob, refs } = await sealAssets(files, { account, job: id, assets: request.assets, isGone });
  const job: NewVideoJob = {
    id,
    account,
    key: caller.key,
    generation: submission.generation,
    model: plan.endpoint.model,
    ask: { ...askOf(request, plan.endpoint.model, refs), prompt },
    assets: blob,
    candidates: plan.candidates,
    unrenderable: plan.unrenderable,
    hold: holdOf(plan, submission.attribution),
    callbackUrl: request.callbackUrl,
    ...(submission.idempotency === undefined ? {} : { idempotency: submission.idempotency }),
  };
  return createJob(services, job);
}

/** The job of an earlier submission with this idempotency key and body. */
async function recordedJob(
  cluster: Cluster,
  account: string,
  idempotency: Idempotency | undefined,
): Promise<JobRecord | null> {
  const id = idempotency === undefined ? null : await findSubmission(cluster, account, idempotency);
  return id === null ? null : findVideoJob(cluster, account, id);
}

/**
 * Asks once; where the money does not cover the most expensive candidate, once more with those that it covers. Rejects
 * with the first 402 where it covers none.
 */
async function createJob({ files, bounds }: SubmittingServices, job: NewVideoJob): Promise<JobRecord> {
  const { cluster, askMs: withinMs } = files;
  const options = { bounds, withinMs };
  try {
    return await submitVideo(cluster, job, options);
  } catch (thrown) {
    const affordable = affordableCandidates(job, thrown);
    if (affordable.length === 0) throw rejectionOf(thrown, cluster.now()) ?? thrown;
    const cheaper = { ...job, candidates: affordable, hold: { ...job.hold, amount: largestBound(affordable) } };
    return submitVideo(cluster, cheaper, options).catch((again: unknown) => {
      throw rejectionOf(again, cluster.now()) ?? again;
    });
  }
}

/** The candidates that cost at most what a 402 left; none for any other failure. */
function affordableCandidates({ candidates }: NewVideoJob, thrown: unknown): readonly FrozenCandidate[] {
  if (!(thrown instanceof AskError) || thrown.failure.code !== 'rejected') return [];
  const { refusal } = (thrown.failure.refusal.body ?? {}) as Partial<RefusedAnswer>;
  if (refusal?.status !== 402) return [];
  const available = String(refusal.metadata?.available ?? '0');
  return candidates.filter(({ bound }) => compare(bound, available) <= 0);
}

function largestBound(candidates: readonly FrozenCandidate[]): string {
  return candidates.reduce((most, { bound }) => (compare(bound, most) > 0 ? bound : most), '0');
}

/** The hold names the endpoint that is tried first. */
function holdOf({ candidates, rejections, endpoint }: VideoPlan, attribution: Attribution): NewHold {
  const [first] = candidates;
  const isPlain = candidates.length === 1 && rejections.length === 0;
  const route = boundedRoute(
    candidates.map(({ tag }) => ({ endpoint: tag })),
    rejections,
  );
  return {
    amount: largestBound(candidates),
    endpoint: first?.endpoint ?? endpoint.id,
    provider: first?.provider.name ?? endpoint.provider.name,
    tariff: first?.tariff ?? endpoint.tariff.id,
    ...attribution,
    user: null,
    sessionId: null,
    metadata: null,
    streamed: false,
    ...(isPlain ? {} : { route }),
  };
}

function askOf(request: VideoRequest, model: string, assets: RenderAsk['assets']): Omit<RenderAsk, 'prompt'> {
  const { duration, size, resolution, aspectRatio, seed, generateAudio } = request;
  return {
    model,
    durationSeconds: duration,
    frames: null,
    fps: null,
    size,
    resolution,
    aspectRatio,
    seed,
    generateAudio,
    assets,
  };
}
