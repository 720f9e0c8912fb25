/**
 * A set of short-lived items in reused slots. Not a Set or a Map: V8 links every table that a Map has outgrown to its
 * successor, so that one such table in the old generation keeps alive everything that passed through its successors
 * until the next full collection. Measured on one table of 64 short-lived entries: 19 ms per scavenge instead of 0.2
 * ms, and everything promoted.
 */
export class Slab<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the slot of the item, valid until `take`. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  at(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** Frees a slot and returns its item; undefined when it was free already. */
  take(slot: number): T | undefined {
    const item = this.#items[slot];
    if (item === undefined) return undefined;
    this.#items[slot] = undefined;
    this.#free.push(slot);
    return item;
  }

  /** A copy of the current items. */
  all(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
