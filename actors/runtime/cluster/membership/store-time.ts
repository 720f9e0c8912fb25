import type { Clock } from '../../ports/clock.ts';

/**
 * A backward correction below this is absorbed by waiting; a larger one means that the clock was set, and is followed.
 */
const SLEW_MS_MAX = 1_000;

/** Store time between two answers: the store's last clock value, advanced by the monotonic clock. */
export class StoreTime {
  readonly #clock: Clock;
  #offset: number;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /**
   * The store read its clock as `now` at some moment between `sentAt` and `heardAt` (monotonic ms). The current
   * estimate stays if it agrees with that interval and moves by the least amount if not, so that a slow answer (a lock,
   * a pause of this process) never shifts it by half the round trip.
   */
  learn(now: number, sentAt: number, heardAt: number): void {
    this.#offset = Math.min(Math.max(this.#offset, now - heardAt), now - sentAt);
  }

  /** Whole ms; never steps back by less than a second. */
  now(): number {
    const now = Math.floor(this.#offset + this.#clock.monotonic());
    if (now < this.#last && this.#last - now < SLEW_MS_MAX) return this.#last;
    this.#last = now;
    return now;
  }
}
