/**
 * Counts what each holder (a client address, a key, an account) occupies, such as connections, at most `placesMax`
 * each. Tracks only holders that occupy something, so it is bounded by what is occupied. (rule E27)
 */
export class HolderPlaces {
  readonly #placesMax: number;
  readonly #taken = new Map<string, number>();

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Holders with at least one place. */
  get holders(): number {
    return this.#taken.size;
  }

  /** False if the holder has `placesMax` places. */
  take(holder: string): boolean {
    const taken = this.#taken.get(holder) ?? 0;
    if (taken >= this.#placesMax) return false;
    this.#taken.set(holder, taken + 1);
    return true;
  }

  /** Releases one place. */
  leave(holder: string): void {
    const taken = this.#taken.get(holder) ?? 0;
    if (taken > 1) this.#taken.set(holder, taken - 1);
    else this.#taken.delete(holder);
  }
}
