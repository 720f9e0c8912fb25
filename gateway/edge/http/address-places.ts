/**
 * Counts what each client address or key occupies, such as connections, at most `placesMax` each. Tracks only addresses
 * that occupy something, so it is bounded by the connections themselves. (spec: reliability, attack 50)
 */
export class AddressPlaces {
  readonly #placesMax: number;
  readonly #taken = new Map<string, number>();

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Addresses with at least one place. */
  get addresses(): number {
    return this.#taken.size;
  }

  /** False if the address holds `placesMax` places. */
  take(address: string): boolean {
    const taken = this.#taken.get(address) ?? 0;
    if (taken >= this.#placesMax) return false;
    this.#taken.set(address, taken + 1);
    return true;
  }

  /** Releases one place. */
  leave(address: string): void {
    const taken = this.#taken.get(address) ?? 0;
    if (taken > 1) this.#taken.set(address, taken - 1);
    else this.#taken.delete(address);
  }
}
