/** The newest attempts of an endpoint, for operators: what each came to and why it failed. */
import { FAILURE_CHARACTERS_MAX } from '../terms/endpoint.ts';
import type { ObservedAttempt } from './window.ts';

const RING_MAX = 20;

export interface SeenAttempt {
  /** Store time, ms. */
  readonly at: number;
  readonly outcome: ObservedAttempt['outcome'];
  /** ms; null where the time to the first token is unknown. */
  readonly ttftMs: number | null;
  /** ms; null where unknown. */
  readonly durationMs: number | null;
  /** Null for a success, and for a failure that was not the provider's fault. */
  readonly failure: { readonly category: string; readonly text: string } | null;
}

/** Newest last. An attempt without a time of its own, or with a later one, gets the event's time. */
export function withAttempts(
  ring: readonly SeenAttempt[],
  attempts: readonly ObservedAttempt[],
  now: number,
): readonly SeenAttempt[] {
  return [...ring, ...attempts.slice(-RING_MAX).map((attempt) => seen(attempt, now))].slice(-RING_MAX);
}

function seen({ at, outcome, ttftMs, durationMs, failure }: ObservedAttempt, now: number): SeenAttempt {
  return {
    at: Math.min(at ?? now, now),
    outcome,
    ttftMs: rounded(ttftMs),
    durationMs: rounded(durationMs),
    failure:
      failure === undefined
        ? null
        : { category: failure.category, text: failure.text.slice(0, FAILURE_CHARACTERS_MAX) },
  };
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
