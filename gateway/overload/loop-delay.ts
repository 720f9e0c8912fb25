import type { Cancel, Clock } from '../../actors/runtime/index.ts';

/** How often the delay of the event loop is measured while there is work, ms. */
const SAMPLE_MS = 10;

/**
 * The standing delay of the event loop: the smallest delay of a timer in each interval, as CoDel measures a queue (RFC
 * 8289). One long turn of the loop leaves the smallest delay at zero; a loop with more work than time does not.
 */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** Receives the smallest delay of an interval, ms; true to measure another one. */
  readonly #onInterval: (leastMs: number) => boolean;
  #timer: Cancel | null = null;
  #dueAt = 0;
  #endsAt = 0;
  #leastMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, intervalMs: number, onInterval: (leastMs: number) => boolean) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#onInterval = onInterval;
  }

  /** Measures from now on; no effect while it does. */
  start(): void {
    if (this.#timer !== null) return;
    const now = this.#clock.monotonic();
    this.#begin(now);
    this.#arm(now);
  }

  #begin(now: number): void {
    this.#endsAt = now + this.#intervalMs;
    this.#leastMs = Number.POSITIVE_INFINITY;
  }

  #arm(now: number): void {
    this.#dueAt = now + SAMPLE_MS;
    this.#timer = this.#clock.after(SAMPLE_MS, this.#sample);
  }

  readonly #sample = (): void => {
    const now = this.#clock.monotonic();
    this.#timer = null;
    this.#leastMs = Math.min(this.#leastMs, now - this.#dueAt);
    if (now >= this.#endsAt) {
      const leastMs = this.#leastMs;
      this.#begin(now);
      if (!this.#onInterval(leastMs)) return;
    }
    this.#arm(now);
  };
}
