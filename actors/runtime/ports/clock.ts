/** Time as a port. Only `system/clock.ts` and the virtual clock of the tests implement it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. May step; never used to measure a duration. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start. Used for every duration, deadline in memory and lease. */
  monotonic(): number;
  /** Runs `run` once, `delayMs` from now (0 = next turn of the loop). The caller splits delays of more than 24 days. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Cancels the call that `after` scheduled. A no-op once it has run. */
export type Cancel = () => void;

/**
 * Randomness as a port: ids, jitter, weighted choice. Only `system/random.ts` and the seeded generators of the tests
 * implement it.
 */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1). */
  fraction(): number;
}
