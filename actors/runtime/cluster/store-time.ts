import type { Clock } from '../ports/clock.ts';

/** A backward correction smaller than this is waited out; a larger one is a set clock and is followed. */
const SLEW_MS_MAX = 1_000;

/** Store time between two answers of the store: its clock as last heard, carried on by the monotonic one. */
export class StoreTime {
  readonly #clock: Clock;
  #offset: number;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /**
   * The store said `now` in an answer to a question sent at `sentAt` and heard at `heardAt` (monotonic ms): at some moment
   * between the two. What was believed before stays where it agrees with that, and moves by the least where it does not,
   * so that a slow answer (a lock, a pause of this process) never sets time off by half its way.
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
