import type { Dice } from './dice.ts';
import type { Place, Scheduler } from './scheduler.ts';
import type { Wire } from './wire.ts';

const STEP_MS = 0.000_001;

/** Something on its way: what it does when it arrives. */
type Parcel = () => void;

/**
 * One direction of one connection: what was sent arrives in order, some time later, and waits while its wire is shut. A
 * connection that is cut off loses the rest, never something in between.
 */
export class Direction {
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #wire: Wire;
  readonly #to: Place;
  #parcels: Parcel[] = [];
  #lastAt = 0;
  #over = false;

  constructor(scheduler: Scheduler, dice: Dice, wire: Wire, to: Place) {
    this.#scheduler = scheduler;
    this.#dice = dice;
    this.#wire = wire;
    this.#to = to;
  }

  send(systemMessage: Parcel): void {
    if (this.#over) return;
    const { now } = this.#scheduler;
    const at = Math.max(now + this.#wire.delayMs(this.#dice), this.#lastAt + STEP_MS);
    this.#lastAt = at;
    this.#parcels.push(systemMessage);
    this.#scheduler.after(at - now, () => this.#arrive());
  }

  /** Nothing more arrives. */
  end(): void {
    this.#over = true;
    this.#parcels = [];
  }

  /** The next in order; on a shut wire it waits until somebody opens that. */
  #arrive(): void {
    if (this.#over) return;
    if (this.#wire.shut) {
      this.#wire.whenOpen(() => this.#arrive());
      return;
    }
    // Taken out only when it runs: two that run in one moment, in whatever order, still are first and second.
    this.#scheduler.after(0, () => this.#parcels.shift()?.(), this.#to);
  }
}
