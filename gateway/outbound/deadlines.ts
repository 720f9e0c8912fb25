import { type Cancel, type Clock, Slab } from '../../actors/runtime/index.ts';

/** Something that may take too long. */
export interface Bounded {
  /** Ends it if it is due at `nowMs`. When it is to be asked again: monotonic ms, infinite for never. */
  expire(nowMs: number): number;
}

/**
 * One timer for all that is under way, armed for the earliest of them: who comes later, as nearly every call does, arms
 * nothing. A timer that comes too early asks everybody when to come again. (measured: a call of 25 us costs 1 to 2 us
 * more with a timer of its own that is armed, armed again and cleared)
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #bounded = new Slab<Bounded>();
  #timer: Cancel | null = null;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The place it has until it is taken. `dueMs` as `expire` tells it. */
  add(bounded: Bounded, dueMs: number): number {
    const place = this.#bounded.add(bounded);
    this.by(dueMs);
    return place;
  }

  /** Harmless for what was taken before. The last one takes the timer with it. */
  take(place: number): void {
    this.#bounded.take(place);
    if (this.#bounded.size === 0) this.#disarm();
  }

  /** Somebody is due at this time, maybe earlier than he said before. */
  by(dueMs: number): void {
    if (dueMs >= this.#armedFor) return;
    this.#disarm();
    this.#armedFor = dueMs;
    this.#timer = this.#clock.after(Math.max(1, dueMs - this.#clock.monotonic()), this.#sweep);
  }

  #disarm(): void {
    this.#timer?.();
    this.#timer = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  readonly #sweep = (): void => {
    this.#disarm();
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const bounded of this.#bounded.all()) next = Math.min(next, bounded.expire(now));
    this.by(next);
  };
}
