import type { Cancel, Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Dice } from './dice.ts';
import type { Place, Scheduler } from './scheduler.ts';

/** Length of an event loop turn, and the largest extra delay of a timer. */
const TURN_MS_MIN = 0.005;
const TURN_MS_MAX = 0.1;
const LATE_MS_MAX = 1.5;
const STEP_MS = 0.000_001;

/** The clock errors of a node: wall-clock offset and monotonic drift. */
interface ClockTraits {
  /** Wall time at the start of the world, ms since the epoch. */
  readonly startsAt: number;
  readonly monotonicOffsetMs: number;
  /** Monotonic ms per virtual ms. */
  readonly rate: number;
}

/** The clock of one process. Timers of 0 ms run in the order they were set, as in one event loop. */
export class NodeClock implements Clock {
  /** Offset of this node's wall clock; may change at any time. */
  skewMs = 0;
  readonly #scheduler: Scheduler;
  readonly #place: Place;
  readonly #dice: Dice;
  readonly #traits: ClockTraits;
  #lastTurnAt = 0;

  constructor(scheduler: Scheduler, place: Place, dice: Dice, traits: ClockTraits) {
    this.#scheduler = scheduler;
    this.#place = place;
    this.#dice = dice;
    this.#traits = traits;
  }

  now(): number {
    return Math.floor(this.#traits.startsAt + this.#scheduler.now + this.skewMs);
  }

  monotonic(): number {
    return this.#traits.monotonicOffsetMs + this.#scheduler.now * this.#traits.rate;
  }

  after(delayMs: number, run: () => void): Cancel {
    return this.#scheduler.after(this.#delay(delayMs), run, this.#place);
  }

  #delay(delayMs: number): number {
    if (delayMs > 0) return delayMs / this.#traits.rate + this.#dice.between(0, LATE_MS_MAX);
    const { now } = this.#scheduler;
    const at = Math.max(now + this.#dice.between(TURN_MS_MIN, TURN_MS_MAX), this.#lastTurnAt + STEP_MS);
    this.#lastTurnAt = at;
    return at - now;
  }
}
