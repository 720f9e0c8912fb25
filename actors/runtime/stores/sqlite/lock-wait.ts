import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { isBusy } from './failure.ts';
import { pause } from './pause.ts';

/** Bounds of one wait for the write lock, ms. The short steps are what keeps three saturated writers fair. */
export const STEP_MS_MIN = 0.1;
export const STEP_MS_MAX = 0.5;

export interface LockWaitOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Pick<Random, 'fraction'>;
  /** Longest wait for one lock, ms; then the SQLITE_BUSY error goes to the caller. */
  readonly boundMs: number;
  /** Told how long the present wait has lasted, ms; 0 when it ended. */
  readonly waited: (ms: number) => void;
}

/**
 * Runs `attempt` until it does not answer SQLITE_BUSY, sleeping 0.1-0.5 ms at random between attempts, up to the bound.
 * Blocks its thread: for the writer's own thread only.
 */
export function waitForLock<T>(attempt: () => T, options: LockWaitOptions): T {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  const { stackTraceLimit } = Error;
  // The driver makes an error per attempt; without its stack one costs 5 us and not 16.
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
