/** A key's fixed rate window of one minute, aligned to the UTC minute (rule E13). */
import type { Refusal } from '../terms/refusal.ts';

export const RATE_WINDOW_MS = 60_000;

export interface RateCount {
  /** Store time in ms at which the window began. */
  readonly start: number;
  readonly count: number;
}

export const UNCOUNTED: RateCount = { start: 0, count: 0 };

export function counted(rate: RateCount, at: number): number {
  return rate.start === startOf(at) ? rate.count : 0;
}

/** Counts one more request. */
export function count(rate: RateCount, at: number): RateCount {
  return { start: startOf(at), count: counted(rate, at) + 1 };
}

/** 429, with the limit and the reset time of the window. */
export function refuseRate(limit: number, at: number): Refusal {
  const resetAt = startOf(at) + RATE_WINDOW_MS;
  const seconds = Math.ceil((resetAt - at) / 1000);
  return {
    status: 429,
    type: 'rate_limit_exceeded',
    message: `Rate limit of ${limit} requests per minute reached for this key; it starts again in ${seconds} s`,
    window: { limit, resetAt },
  };
}

function startOf(at: number): number {
  return at - (at % RATE_WINDOW_MS);
}
