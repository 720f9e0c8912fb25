import type { OverloadLimits } from '../terms/config/config.ts';

/** The time inside must be this many times what it is with the fewest places, since a slow store is no queue. */
const QUEUED_FACTOR = 2;
/** The fewest places, at most, as a multiple of `placesMin`. */
const LEAST_FACTOR_MAX = 8;

/**
 * How long requests hold their places. With more requests inside than their owners serve, the time grows with their
 * number: they queue on another node, whose event loop this node does not see. Where the store is slow, the time is as
 * long with few requests inside. (a gradient limit, as Netflix's)
 */
export class PlaceTimes {
  readonly #placeMs: number;
  readonly #placesMin: number;
  #sumMs = 0;
  #count = 0;
  /** Mean time with the fewest places, or a shorter one; before that the shortest. */
  #unqueuedMs = Number.POSITIVE_INFINITY;
  #leastPlaces: number;

  constructor({ placeMs, placesMin }: Pick<OverloadLimits, 'placeMs' | 'placesMin'>) {
    this.#placeMs = placeMs;
    this.#placesMin = placesMin;
    this.#leastPlaces = placesMin;
  }

  /**
   * The fewest places of a node: as many as begin `placesMin` requests in each `placeMs`. Where requests wait for long at
   * the owner of their account, `placesMin` places alone serve few of them, and the requests that arrive at the owner itself,
   * without such a wait, take all of its time.
   */
  get leastPlaces(): number {
    return this.#leastPlaces;
  }

  add(ms: number): void {
    this.#sumMs += ms;
    this.#count++;
  }

  /** Ends an interval in which there were so many places; true if its requests queued. */
  endInterval(places: number): boolean {
    if (this.#count === 0) return false;
    const meanMs = this.#sumMs / this.#count;
    this.#sumMs = 0;
    this.#count = 0;
    const factor = Math.min(LEAST_FACTOR_MAX, Math.max(1, meanMs / this.#placeMs));
    const least = Math.floor(this.#placesMin * factor);
    // While the time falls with the number of places, the requests queue and there are not few enough of them yet.
    const isLeast = places <= this.#leastPlaces && least >= this.#leastPlaces;
    if (isLeast || meanMs < this.#unqueuedMs) this.#unqueuedMs = meanMs;
    this.#leastPlaces = least;
    return meanMs > Math.max(this.#placeMs, this.#unqueuedMs * QUEUED_FACTOR);
  }
}
