/** Time as a port. Only `system/clock.ts` (and the virtual clock of the tests) touches the real thing. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. May step; never used to measure a duration. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start. Used for every duration, deadline in memory and lease. */
  monotonic(): number;
  /** Runs `run` once, `delayMs` from now (0 = next turn of the loop). Longer than 24 days is the caller's to split. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Calls off what `after` promised. Harmless when it already ran. */
export type Cancel = () => void;
