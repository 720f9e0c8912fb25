import type { Clock } from '../../../actors/runtime/index.ts';

/** Ctrl-C reaches the whole foreground process group and, under npm, one process twice. */
const SAME_SIGNAL_MS = 1_000;

/** Tells the first request to stop from a repeat of it: the second one stops at once. */
export class StopSignals {
  readonly #clock: Clock;
  #firstAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a signal that arrives now means; `same` belongs to the first one. */
  received(): 'first' | 'same' | 'again' {
    const now = this.#clock.monotonic();
    if (this.#firstAt !== null) return now - this.#firstAt > SAME_SIGNAL_MS ? 'again' : 'same';
    this.#firstAt = now;
    return 'first';
  }
}
