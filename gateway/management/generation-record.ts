import { ownerOf } from '../../actors/runtime/index.ts';
import type {
  ApiType,
  AttemptRecord,
  Generation,
  RouteCandidate,
  RouteDecision,
  SettledMedia,
  Settlement,
} from '../../actors/terms/hold.ts';
import { defaultWorkspaceId } from '../../actors/terms/ids.ts';
import { exactNumber } from '../json/exact-json.ts';

/**
 * One generation as `GET /generation` shows it, from the moment its hold is written: the members that strict clients
 * require (null where nothing was measured), and our own, which trace the whole request. `attempt`, of the generation
 * and of each entry of `holds`, is (run - 1) * 1000 + hold: 1, 2 ... for the holds of the first run in order, 1001 for
 * the first hold of the second run (`holdAttempt`). (rule I142)
 */
export function renderGeneration(id: string, generation: Generation): Readonly<Record<string, unknown>> {
  const { settlement } = generation;
  const cost = exactNumber(settlement?.cost ?? (generation.status === 'released' ? '0' : null));
  return {
    id,
    model: generation.model,
    status: generation.status,
    created_at: new Date(generation.createdAt).toISOString(),
    settled_at: isoTime(generation.status === 'settled' ? generation.endedAt : null),
    ended_at: isoTime(generation.endedAt),
    origin: generation.appUrl ?? '',
    usage: cost ?? exactNumber('0'),
    total_cost: cost ?? exactNumber('0'),
    hold_cost: exactNumber(generation.amount),
    overshoot_cost: exactNumber(generation.overshoot),
    unpriced: settlement?.unpriced ?? [],
    ...counts(generation),
    ...origins(generation),
    api_type: apiTypeOf(generation),
    ...neverMeasured(),
    provider_responses: (settlement?.attempts ?? generation.release?.attempts ?? []).map(renderAttempt),
    ...renderTrace(generation),
  };
}

/** The kind of request. */
export function apiTypeOf({ apiType }: Generation): 'completions' | ApiType {
  return apiType ?? 'completions';
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function counts({ settlement, streamed }: Generation): Readonly<Record<string, unknown>> {
  return {
    streamed,
    cancelled: settlement === null ? null : settlement.cancelled,
    estimated: settlement === null ? null : settlement.estimated,
    latency: settlement?.latencyMs ?? null,
    generation_time: settlement?.generationMs ?? null,
    finish_reason: settlement?.finishReason ?? null,
    native_finish_reason: settlement?.nativeFinishReason ?? null,
    tokens_prompt: settlement?.promptTokens ?? null,
    tokens_completion: settlement?.completionTokens ?? null,
    native_tokens_prompt: reported(settlement, 'prompt') ? (settlement?.promptTokens ?? null) : null,
    native_tokens_completion: reported(settlement, 'completion') ? (settlement?.completionTokens ?? null) : null,
    native_tokens_reasoning: settlement?.reasoningTokens ?? null,
    native_tokens_cached: settlement?.cachedTokens ?? null,
    native_tokens_completion_images: settlement?.imageTokens ?? null,
    native_tokens_cache_write: cacheWrites(settlement),
    num_media_prompt: settlement?.media?.inputImages ?? null,
    num_media_completion: settlement?.media?.images ?? null,
    native_tokens_completion_audio: settlement?.audioTokens ?? null,
  };
}

function cacheWrites(settlement: Settlement | null): number | null {
  const { cacheWriteTokens, cacheWrite1hTokens } = settlement ?? {};
  if (cacheWriteTokens === undefined && cacheWrite1hTokens === undefined) return null;
  return (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0);
}

/** True if the provider reported the count. Only reported counts are native. */
function reported(settlement: Settlement | null, count: 'prompt' | 'completion'): boolean {
  return !settlement?.unmeasured?.includes(count);
}

function origins(generation: Generation): Readonly<Record<string, unknown>> {
  return {
    provider_name: generation.provider,
    upstream_id: generation.settlement?.upstreamId ?? null,
    external_user: generation.user,
    session_id: generation.sessionId,
    request_id: null,
    http_referer: generation.appUrl,
    app_title: generation.appTitle,
    app_id: null,
    workspace_id: generation.workspace ?? defaultWorkspaceId(ownerOf(generation.key)),
    metadata: generation.metadata === null ? null : (JSON.parse(generation.metadata) as unknown),
    failure:
      generation.release === null ? null : { reason: generation.release.reason, status: generation.release.status },
    late: generation.late,
  };
}

/**
 * Members that strict clients require and this service does not provide or measure: constant, or null as the convention
 * requires.
 */
function neverMeasured(): Readonly<Record<string, unknown>> {
  return {
    data_region: 'global',
    is_byok: false,
    router: null,
    user_agent: null,
    web_search_engine: null,
    preset_id: null,
    service_tier: null,
    response_cache_source_id: null,
    moderation_latency: null,
    cache_discount: null,
    upstream_inference_cost: null,
    num_input_audio_prompt: null,
    num_search_results: null,
    num_fetches: null,
  };
}

function renderAttempt(attempt: AttemptRecord): Readonly<Record<string, unknown>> {
  return {
    endpoint_id: attempt.endpoint,
    provider_name: attempt.provider,
    status: attempt.status,
    outcome: attempt.outcome,
    // Strict clients accept a number or an absent member.
    ...(attempt.latencyMs === null ? {} : { latency: attempt.latencyMs }),
    ...(attempt.reason === undefined ? {} : { reason: attempt.reason }),
    is_byok: false,
  };
}

/**
 * The members of a generation's record beyond the convention: the route candidates and the reasons for rejections, the
 * amount of every hold, an implausible prompt count, our count of a prompt that the provider cut, the ceiling where the money lowered it, which requested parameters the serving endpoint
 * declares, which members of the body nothing reads, and timings. A plain request with one endpoint and no rejection has no `route`; its endpoint is in
 * `provider_responses`. Times in ms since the request's start.
 */
function renderTrace(generation: Generation): Readonly<Record<string, unknown>> {
  const { settlement, release, route } = generation;
  return {
    endpoint_id: generation.endpoint,
    tariff_id: generation.tariff,
    attempt: generation.attempt,
    honoured: settlement?.honoured ?? null,
    unread_members: generation.unread ?? [],
    route: route === undefined ? null : renderRoute(route),
    holds: holdsOf(generation),
    refused_prompt_tokens: settlement?.promptTokensRefused ?? null,
    cut_prompt_tokens: settlement?.promptTokensCut ?? null,
    affordable_max_tokens: settlement?.affordableTokensMax ?? null,
    media: settlement?.media === undefined ? null : renderMedia(settlement.media),
    price_conditions: settlement?.conditions === undefined ? null : renderConditions(settlement.conditions),
    timings: {
      admitted: settlement?.admittedMs ?? release?.admittedMs ?? null,
      first_part: settlement?.latencyMs ?? null,
      total: settlement?.generationMs ?? release?.totalMs ?? null,
    },
  };
}

/**
 * Measured and charged quantities other than tokens, exact; those of a prompt only where the endpoint prices them, and
 * seconds of video only for a video.
 */
function renderMedia(media: SettledMedia): object {
  const { images, megapixels, audioSeconds, inputImages, inputAudioSeconds, inputAudioUnread, inputCharacters } = media;
  const { videoSeconds, searches } = media;
  return {
    images: images ?? null,
    megapixels: exactNumber(megapixels ?? null),
    audio_seconds: exactNumber(audioSeconds ?? null),
    input_images: inputImages ?? null,
    ...(inputAudioSeconds === undefined ? {} : { input_audio_seconds: exactNumber(inputAudioSeconds) }),
    ...(inputAudioUnread === undefined ? {} : { input_audio_unread: true }),
    ...(inputCharacters === undefined ? {} : { input_characters: inputCharacters }),
    ...(searches === undefined ? {} : { search_units: searches }),
    ...(videoSeconds === undefined ? {} : { video_seconds: exactNumber(videoSeconds) }),
  };
}

/** The conditions under which conditional prices were evaluated: the time of admission and the prompt length. */
function renderConditions({ at, promptTokens }: { readonly at: number; readonly promptTokens: number }): object {
  return { at: new Date(at).toISOString(), prompt_tokens: promptTokens };
}

function renderRoute({ candidates, rejections = [], omitted = 0 }: RouteDecision): object {
  return { candidates: candidates.map(renderCandidate), rejections, omitted };
}

function renderCandidate({ endpoint, model, dropped }: RouteCandidate): object {
  return { endpoint, ...(model === undefined ? {} : { model }), dropped_messages: dropped ?? 0 };
}

/** Holds in the order in which they were opened; the last one is the current or final hold. */
function holdsOf({ moves = [], attempt, endpoint, amount }: Generation): readonly object[] {
  return [...moves, { attempt, endpoint, amount }].map((hold) => ({
    attempt: hold.attempt,
    endpoint_id: hold.endpoint,
    amount: exactNumber(hold.amount),
  }));
}
