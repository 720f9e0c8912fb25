import { textHash } from './text-hash.ts';

const SLOTS_MIN = 8;

/**
 * A map by text for entries that live as long as one message: open addressing over arrays that are reused and only
 * grow. Not a Map: the tables a Map has outgrown keep the entries of their successors alive (see `Slab`).
 */
export class PooledMap<V> {
  #keys: (string | undefined)[] = new Array<string | undefined>(SLOTS_MIN).fill(undefined);
  #values: (V | undefined)[] = new Array<V | undefined>(SLOTS_MIN).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#values[this.#slotOf(key)];
  }

  set(key: string, value: V): void {
    const slot = this.#slotOf(key);
    if (this.#keys[slot] === undefined) {
      this.#keys[slot] = key;
      this.#size++;
    }
    this.#values[slot] = value;
    if (this.#size * 2 > this.#keys.length) this.#grow();
  }

  /** The stored value, or the one that `make` returns: one search where `get` and `set` take two. */
  getOrSet(key: string, make: () => V): V {
    const slot = this.#slotOf(key);
    if (this.#keys[slot] !== undefined) return this.#values[slot] as V;
    const value = make();
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#size++;
    if (this.#size * 2 > this.#keys.length) this.#grow();
    return value;
  }

  /** False when the key was absent. Later entries of the same probe run move up, so that no tombstone is needed. */
  delete(key: string): boolean {
    let gap = this.#slotOf(key);
    if (this.#keys[gap] === undefined) return false;
    const mask = this.#keys.length - 1;
    for (let at = (gap + 1) & mask; this.#keys[at] !== undefined; at = (at + 1) & mask) {
      const home = scattered(this.#keys[at] as string) & mask;
      // Skip an entry whose home slot lies after the gap: a search for it would not pass the gap.
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      this.#keys[gap] = this.#keys[at];
      this.#values[gap] = this.#values[at];
      gap = at;
    }
    this.#keys[gap] = undefined;
    this.#values[gap] = undefined;
    this.#size--;
    return true;
  }

  /** A copy, in no particular order. */
  values(): V[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** The slot of the key, or the free slot where it belongs. */
  #slotOf(key: string): number {
    const mask = this.#keys.length - 1;
    let slot = scattered(key) & mask;
    for (let held = this.#keys[slot]; held !== undefined && held !== key; held = this.#keys[slot]) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Array<string | undefined>(keys.length * 2).fill(undefined);
    this.#values = new Array<V | undefined>(keys.length * 2).fill(undefined);
    keys.forEach((key, at) => {
      if (key === undefined) return;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#values[slot] = values[at];
    });
  }
}

/** The low bits of the hash depend on the last characters alone, so the high bits are folded in. */
function scattered(key: string): number {
  const hash = textHash(key);
  return hash ^ (hash >>> 15);
}
