import type { Dice } from './dice.ts';
import type { Place, Scheduler } from './scheduler.ts';
import type { Wire } from './wire.ts';

const STEP_MS = 0.000_001;

/** A frame in flight: the function to run on arrival. */
type Frame = () => void;

/**
 * One direction of one connection: frames arrive in order after a delay, and wait while the wire is shut. A connection that
 * is cut loses a suffix of its frames, never one in the middle.
 */
export class Direction {
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #wire: Wire;
  readonly #to: Place;
  #frames: Frame[] = [];
  #lastAt = 0;
  #over = false;

  constructor(scheduler: Scheduler, dice: Dice, wire: Wire, to: Place) {
    this.#scheduler = scheduler;
    this.#dice = dice;
    this.#wire = wire;
    this.#to = to;
  }

  send(frame: Frame): void {
    if (this.#over) return;
    const { now } = this.#scheduler;
    const at = Math.max(now + this.#wire.delayMs(this.#dice), this.#lastAt + STEP_MS);
    this.#lastAt = at;
    this.#frames.push(frame);
    this.#scheduler.after(at - now, () => this.#arrive());
  }

  /** Drops all frames in flight. */
  end(): void {
    this.#over = true;
    this.#frames = [];
  }

  /** Delivers the next frame; on a shut wire it waits until the wire opens. */
  #arrive(): void {
    if (this.#over) return;
    if (this.#wire.shut) {
      this.#wire.whenOpen(() => this.#arrive());
      return;
    }
    // Dequeued only on delivery: two deliveries due at the same instant keep the frame order.
    this.#scheduler.after(0, () => this.#frames.shift()?.(), this.#to);
  }
}
