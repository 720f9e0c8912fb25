import type { OverloadLimits } from '../terms/config.ts';

/** The time inside must be this many times what it is with the fewest places, since a slow store is no queue. */
const QUEUED_FACTOR = 2;
/**
 * How long requests hold their places. With more requests inside than their owners serve, the time grows with their
 * number: they queue on another node, whose event loop this node does not see. Where the store is slow, the time is as
 * long with few requests inside. (a gradient limit, as Netflix's)
 */
export class PlaceTimes {
  readonly #placeMs: number;
  #sumMs = 0;
  #count = 0;
  /** Mean time with the fewest places, or a shorter one; before that the shortest. */
  #unqueuedMs = Number.POSITIVE_INFINITY;

  constructor({ placeMs }: Pick<OverloadLimits, 'placeMs'>) {
    this.#placeMs = placeMs;
  }

  add(ms: number): void {
    this.#sumMs += ms;
    this.#count++;
  }

  /** Ends an interval; true if its requests queued. `isLeast`: the number of places cannot fall further. */
  endInterval(isLeast: boolean): boolean {
    if (this.#count === 0) return false;
    const meanMs = this.#sumMs / this.#count;
    this.#sumMs = 0;
    this.#count = 0;
    if (isLeast || meanMs < this.#unqueuedMs) this.#unqueuedMs = meanMs;
    return meanMs > Math.max(this.#placeMs, this.#unqueuedMs * QUEUED_FACTOR);
  }
}
