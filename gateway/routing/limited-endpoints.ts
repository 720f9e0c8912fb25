import type { Clock } from '../../actors/runtime/index.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { Candidate } from '../terms/plan.ts';

/** How long an endpoint that refused for its rate is tried last, where it names no time. */
const WAIT_MS = 5_000;
/** The longest wait that is taken from a provider: its limits refill within a minute, or its quota is used up. */
export const WAIT_MS_MAX = 60_000;

/** Monotonic ms until which an endpoint is tried last, by its id. */
export type RateLimited = ReadonlyMap<string, number>;

export const NONE_LIMITED: RateLimited = new Map();

/**
 * The endpoints whose provider refused a call of this node for the operator's rate or quota, or asked for a pause while
 * overloaded. Providers count refused calls against the limit, so these endpoints are tried after all others. Each node
 * learns it by one call of its own. (rule I144)
 */
export class LimitedEndpoints {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest answer of an endpoint replaces what it said before. */
  failed(endpoint: string, failure: ProviderFailure): void {
    const waitMs = waitMsOf(failure);
    if (waitMs !== null) this.#until.set(endpoint, this.#clock.monotonic() + waitMs);
  }

  get now(): RateLimited {
    if (this.#until.size === 0) return NONE_LIMITED;
    const now = this.#clock.monotonic();
    for (const [endpoint, until] of this.#until) if (until <= now) this.#until.delete(endpoint);
    return this.#until;
  }
}

/** The limited ones behind all others, the one that is free first before them, whatever else decided their order. */
export function limitedLast(ordered: readonly Candidate[], limited: RateLimited): readonly Candidate[] {
  const untilOf = ({ endpoint }: Candidate): number => limited.get(endpoint.id) ?? 0;
  return limited.size === 0 ? ordered : ordered.toSorted((a, b) => untilOf(a) - untilOf(b));
}

/** A used-up quota names no time, and does not come back within a minute. */
function waitMsOf({ isRateLimit, reason, retryAfterMs }: ProviderFailure): number | null {
  if (isRateLimit && reason === 'misconfigured') return WAIT_MS_MAX;
  const named = reason === 'overloaded' ? retryAfterMs : null;
  const waitMs = named ?? (isRateLimit ? WAIT_MS : null);
  return waitMs === null ? null : Math.min(waitMs, WAIT_MS_MAX);
}
