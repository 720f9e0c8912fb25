import type { VideoAdapter } from '../../../actors/terms/endpoint.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { chargeOf, isZero } from '../../../actors/terms/usd.ts';
import type { FrozenCandidate } from '../../../actors/video-job/render-ask.ts';
import { PRICE_KEYS } from '../../pricing/prices.ts';
import { videoRate } from '../../pricing/video-rate.ts';
import { sizeText } from '../../terms/video-geometry.ts';
import type { Asset, SelectedAdapter, VideoRequest } from '../../terms/video-request.ts';
import { firstViolatedRule } from '../eligibility/first-violated-rule.ts';
import type { RuleViolation } from '../eligibility/rule-violation.ts';
import type { Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import { admitsDuration, secondsMax } from './duration.ts';
import { geometryFor } from './geometry.ts';
import { namedFrame } from './named-frame.ts';
import { refusedReferences } from './references.ts';

/** An endpoint that may render a request, or the first rule that it violates. */
type VideoFit =
  | {
      readonly candidate: FrozenCandidate;
      /** The endpoint with the one rate that applies, for the rules and the order by price. */
      readonly priced: IndexedEndpoint;
    }
  | { readonly violation: RuleViolation };

interface FitOptions {
  readonly request: VideoRequest;
  readonly constraints: Constraints;
  /** Store time, ms, of the submission. */
  readonly at: number;
}

/**
 * Judges one endpoint for a request: what it can render at all comes before preferences and prices, so that a caller
 * whose references no endpoint takes learns that. The rate, its bound and the form of the geometry are frozen here.
 */
export function fitVideo(indexed: IndexedEndpoint, { request, constraints, at }: FitOptions): VideoFit {
  const { endpoint } = indexed;
  const geometry = geometryFor(endpoint, request);
  const limit = limitViolation(indexed, request, geometry !== null);
  if (limit !== null || geometry === null) return { violation: limit ?? GEOMETRY };
  const video = endpoint.envelopes.video as NonNullable<typeof endpoint.envelopes.video>;
  const selected = request.adapters.get(endpoint.provider.slug) ?? [];
  const declared = video.adapters ?? [];
  const rate = videoRate(endpoint.tariff, {
    at,
    resolution: request.resolution ?? (request.size === null ? (video.defaults.resolution ?? null) : null),
    size: request.size === null ? sizeNamed(request, video.defaults.size) : sizeText(request.size),
    audio: request.generateAudio ?? video.defaults.generateAudio ?? (video.audio === false ? false : null),
    adapters: pricedAdapters(declared, selected),
  });
  const priced = pricedAt(indexed, typeof rate === 'string' ? null : rate.rate);
  const violated = firstViolatedRule(priced, constraints);
  if (violated !== null) return { violation: violated };
  const refused = refusedAdapters(declared, selected, request.assets);
  if (refused !== null) return { violation: { reason: 'adapters', member: ADAPTERS, detail: refused } };
  if (rate === 'undecided') return { violation: UNDECIDED };
  if (hasOtherPrices(endpoint.tariff)) return { violation: UNMEASURED };
  const longest = secondsMax(endpoint, request.duration);
  if (longest === null) return { violation: UNBOUNDED };
  const perSecond = rate === 'unpriced' ? null : rate.rate;
  const options = optionsOf(request, endpoint.provider.slug);
  const named = request.size === null ? namedFrame(endpoint, geometry) : null;
  return {
    priced,
    candidate: {
      endpoint: endpoint.id,
      tag: endpoint.tag,
      provider: { name: endpoint.provider.name, slug: endpoint.provider.slug },
      model: endpoint.model,
      tariff: endpoint.tariff.id,
      rate: perSecond,
      bound: perSecond === null ? '0' : chargeOf([{ rate: perSecond, units: longest }]),
      target: endpoint.target as FrozenCandidate['target'],
      options,
      geometry,
      admitted: {
        secondsMax: longest,
        size: request.size ?? geometry.size,
        ...(named === null ? {} : { named }),
        audio: request.generateAudio,
        fps: video.fps?.length === 1 ? Number(video.fps[0]) : null,
      },
      cancellable: endpoint.cancellable,
      idempotentCreate: video.idempotentCreate,
    },
  };
}

const GEOMETRY: RuleViolation = { reason: 'geometry' };
const ADAPTERS = 'provider.options';
/** A partial declaration is not free. */
const UNDECIDED: RuleViolation = {
  reason: 'constraint_filtered',
  detail: 'no declared price covers this combination of resolution, size, generate_audio and adapters',
};
const UNMEASURED: RuleViolation = {
  reason: 'constraint_filtered',
  detail: 'the endpoint prices units other than rendered seconds, which are not measured for videos',
};
const UNBOUNDED: RuleViolation = {
  reason: 'constraint_filtered',
  member: 'duration',
  detail: 'the endpoint declares no longest clip',
};

/** A render is charged by its seconds alone, so no other unit may cost anything. */
function hasOtherPrices(tariff: Tariff): boolean {
  const prices = [tariff, ...(tariff.overrides ?? [])];
  return prices.some((each) => PRICE_KEYS.some((key) => key !== 'videoSecond' && !isZero(each[key] ?? '0')));
}

/** What the endpoint can never render, whatever the caller prefers. */
function limitViolation(indexed: IndexedEndpoint, request: VideoRequest, isSized: boolean): RuleViolation | null {
  const { endpoint } = indexed;
  const { video } = endpoint.envelopes;
  if (video === undefined) return { reason: 'modality', detail: 'video' };
  const unfit = refusedReferences(indexed, request.assets);
  if (unfit !== null) return { reason: 'references', detail: unfit };
  if (!isSized) return { reason: 'geometry', ...geometryNamed(request) };
  const { duration } = request;
  if (duration !== null && !admitsDuration(endpoint, duration)) {
    return { reason: 'duration', member: 'duration', detail: `${duration} seconds` };
  }
  return request.prompt === null && video.promptRequired ? { reason: 'require_parameters', member: 'prompt' } : null;
}

function geometryNamed({ size, resolution, aspectRatio }: VideoRequest): Pick<RuleViolation, 'member' | 'detail'> {
  if (size !== null) return { member: 'size', detail: sizeText(size) };
  const named = [resolution, aspectRatio].filter((each) => each !== null).join(' ');
  return { member: resolution === null ? 'aspect_ratio' : 'resolution', detail: named };
}

/** The declared default size, where the request names no geometry at all. */
function sizeNamed({ resolution, aspectRatio }: VideoRequest, size: string | undefined): string | null {
  return resolution === null && aspectRatio === null ? (size ?? null) : null;
}

/** The endpoint with the rate of this request as its only price, so that caps and the order by price read it. */
function pricedAt(indexed: IndexedEndpoint, rate: string | null): IndexedEndpoint {
  const { videoTiers: _, videoSecond: __, ...tariff } = indexed.endpoint.tariff;
  const price = rate === null ? Number.POSITIVE_INFINITY : Number(rate);
  return {
    ...indexed,
    price,
    promptPrice: price,
    endpoint: { ...indexed.endpoint, tariff: rate === null ? tariff : { ...tariff, videoSecond: rate } },
  };
}

/** What this provider receives of `provider.options`; null without. */
function optionsOf({ preferences, adapters }: VideoRequest, slug: string): FrozenCandidate['options'] {
  const { options = {} } = preferences;
  const passed = Object.hasOwn(options, slug) ? options[slug] : undefined;
  const selected = adapters.get(slug);
  if (selected === undefined && (passed === undefined || Object.keys(passed).length === 0)) return null;
  const named = { ...passed, ...(selected === undefined ? {} : { adapters: selected }) };
  return JSON.parse(JSON.stringify(named)) as FrozenCandidate['options'];
}

/**
 * What keeps an endpoint from applying the selected adapters, as part of a sentence: an unknown id, another revision, a
 * strength out of bounds, a combination or a missing reference. Null where it applies them. (rule V8)
 */
function refusedAdapters(
  declared: readonly VideoAdapter[],
  selected: readonly SelectedAdapter[],
  assets: readonly Asset[],
): string | null {
  for (const { id, revision, strength } of selected) {
    const adapter = declared.find((each) => each.id === id);
    if (!adapter) return `${id} is not declared`;
    if (adapter.revision !== revision) return `${id} has revision ${adapter.revision}, not ${revision}`;
    const { min, max } = adapter.strength;
    if (strength < min || strength > max) return `${id} has a strength from ${min} to ${max}`;
    const { requiresRole } = adapter;
    if (requiresRole !== undefined && !assets.some(({ role }) => role === requiresRole)) {
      return `${id} needs a reference in the role ${requiresRole}`;
    }
    const stranger = selected.find((other) => other.id !== id && adapter.combinesWith?.includes(other.id) === false);
    if (stranger !== undefined) return `${id} does not combine with ${stranger.id}`;
  }
  return null;
}

/** Ids of the selected adapters that have a price of their own. */
function pricedAdapters(declared: readonly VideoAdapter[], selected: readonly SelectedAdapter[]): readonly string[] {
  return selected.map(({ id }) => id).filter((id) => declared.find((each) => each.id === id)?.included !== true);
}
