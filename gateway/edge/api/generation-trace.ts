import type { Generation, RouteCandidate, RouteTrail, SettledMedia } from '../../../actors/terms/hold.ts';
import { exactNumber } from './exact-json.ts';

/**
 * What a generation's record tells beyond the convention: where routing would have sent it and why not elsewhere, every
 * amount that was held for it, which of the asked settings the serving endpoint declares, and where the time went. A
 * plain request, one endpoint that took it as it was, has no `route` of its own: that endpoint stands in
 * `provider_responses`. Times in ms from the request's start.
 */
export function renderTrace(generation: Generation): Readonly<Record<string, unknown>> {
  const { settlement, release, route } = generation;
  return {
    endpoint_id: generation.endpoint,
    tariff_id: generation.tariff,
    attempt: generation.attempt,
    honoured: settlement?.honoured ?? null,
    route: route === undefined ? null : renderRoute(route),
    holds: holdsOf(generation),
    media: settlement?.media === undefined ? null : renderMedia(settlement.media),
    price_conditions: settlement?.conditions === undefined ? null : renderConditions(settlement.conditions),
    timings: {
      admitted: settlement?.admittedMs ?? release?.admittedMs ?? null,
      first_part: settlement?.latencyMs ?? null,
      total: settlement?.generationMs ?? release?.totalMs ?? null,
    },
  };
}

/** What was measured and charged beside tokens, exact. */
function renderMedia({ images, megapixels, audioSeconds, inputImages }: SettledMedia): object {
  return {
    images: images ?? null,
    megapixels: exactNumber(megapixels ?? null),
    audio_seconds: exactNumber(audioSeconds ?? null),
    input_images: inputImages ?? null,
  };
}

/** Under what the conditional prices were read: the instant of admission and the length of the prompt. */
function renderConditions({ at, promptTokens }: { readonly at: number; readonly promptTokens: number }): object {
  return { at: new Date(at).toISOString(), prompt_tokens: promptTokens };
}

function renderRoute({ candidates, rejections = [], omitted = 0 }: RouteTrail): object {
  return { candidates: candidates.map(renderCandidate), rejections, omitted };
}

function renderCandidate({ endpoint, model, dropped }: RouteCandidate): object {
  return { endpoint, ...(model === undefined ? {} : { model }), dropped_messages: dropped ?? 0 };
}

/** In the order in which they stood; the last one is what is held now, or was at the end. */
function holdsOf({ moves = [], attempt, endpoint, amount }: Generation): readonly object[] {
  return [...moves, { attempt, endpoint, amount }].map((hold) => ({
    attempt: hold.attempt,
    endpoint_id: hold.endpoint,
    amount: exactNumber(hold.amount),
  }));
}
