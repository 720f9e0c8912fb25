import type { Generation, RouteCandidate, RouteDecision, SettledMedia } from '../../actors/terms/hold.ts';
import { exactNumber } from '../json/exact-json.ts';

/**
 * The members of a generation's record beyond the convention: the route candidates and the reasons for rejections, the
 * amount of every hold, an implausible prompt count, the ceiling where the money lowered it, which requested parameters the serving endpoint
 * declares, which members of the body nothing reads, and timings. A plain request with one endpoint and no rejection has no `route`; its endpoint is in
 * `provider_responses`. Times in ms since the request's start.
 */
export function renderTrace(generation: Generation): Readonly<Record<string, unknown>> {
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
  const { videoSeconds } = media;
  return {
    images: images ?? null,
    megapixels: exactNumber(megapixels ?? null),
    audio_seconds: exactNumber(audioSeconds ?? null),
    input_images: inputImages ?? null,
    ...(inputAudioSeconds === undefined ? {} : { input_audio_seconds: exactNumber(inputAudioSeconds) }),
    ...(inputAudioUnread === undefined ? {} : { input_audio_unread: true }),
    ...(inputCharacters === undefined ? {} : { input_characters: inputCharacters }),
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
