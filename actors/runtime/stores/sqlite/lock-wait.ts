import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { isBusy } from './failure.ts';
import { pause } from './pause.ts';

/** Bounds of one step of a wait for the write lock, ms. Short steps keep three saturated writers fair. */
const STEP_MS_MIN = 0.1;
const STEP_MS_MAX = 0.5;

export interface LockWaitOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Pick<Random, 'fraction'>;
  /** Longest wait for one lock, ms; the caller then gets the SQLITE_BUSY error. */
  readonly boundMs: number;
  /** Called with the duration of the current wait, ms; with 0 when it ends. */
  readonly waited: (ms: number) => void;
}

/**
 * Repeats `attempt` while it throws SQLITE_BUSY, sleeping 0.1-0.5 ms at random between attempts, up to the bound.
 * Blocks its thread: for the writer's thread only.
 */
export function waitForLock<T>(attempt: () => T, options: LockWaitOptions): T {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  const { stackTraceLimit } = Error;
  // The driver creates an error per attempt; without a stack trace one costs 5 us instead of 16.
  Error.stackTraceLimit = 0;
  try {
    return keepTrying(attempt, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    options.waited(0);
  }
}

function keepTrying<T>(attempt: () => T, { clock, random, boundMs, waited }: LockWaitOptions): T {
  const since = clock.monotonic();
  for (;;) {
    waited(clock.monotonic() - since);
    pause(STEP_MS_MIN + random.fraction() * (STEP_MS_MAX - STEP_MS_MIN));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() - since >= boundMs) throw error;
    }
  }
}
