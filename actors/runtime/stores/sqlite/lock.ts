import type { Clock, Random } from '../../ports/clock.ts';
import type { SqliteConnection } from './connect.ts';
import { isBusy } from './failure.ts';

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

/** Blocks this thread; `ms` can be a fraction. For the writer's thread only. */
export function pause(ms: number): void {
  Atomics.wait(NEVER, 0, 0, ms);
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** A small generator (mulberry32) for lock waits: cheap, in [0, 1), repeatable for one seed. Never used for ids. */
export function seededFraction(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}

/** Runs synchronous work as one write transaction: durable when it returns, rolled back when it throws. */
export type Transact = <T>(work: () => T) => T;

/** Prepares the transaction statements of a connection. Waits for the write lock at the start of a transaction only. */
export function transactions(connection: SqliteConnection, wait: LockWaitOptions): Transact {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const start = () => begin.run();
  return (work) => {
    waitForLock(start, wait);
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite rolls back itself on some failures (disk full, i/o); then no transaction is open.
      if (connection.inTransaction) rollback.run();
      throw error;
    }
  };
}
