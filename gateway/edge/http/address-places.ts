/**
 * How many connections each client address holds, at most `placesMax`. Remembers only addresses that hold one, so it is
 * bounded by the connections themselves. (spec: reliability, attack 50)
 */
export class AddressPlaces {
  readonly #placesMax: number;
  readonly #taken = new Map<string, number>();

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Addresses that hold a place. */
  get addresses(): number {
    return this.#taken.size;
  }

  /** False when the address holds all it may. */
  take(address: string): boolean {
    const taken = this.#taken.get(address) ?? 0;
    if (taken >= this.#placesMax) return false;
    this.#taken.set(address, taken + 1);
    return true;
  }

  /** Gives back one place that was taken. */
  leave(address: string): void {
    const taken = this.#taken.get(address) ?? 0;
    if (taken > 1) this.#taken.set(address, taken - 1);
    else this.#taken.delete(address);
  }
}
