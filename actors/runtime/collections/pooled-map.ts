import { textHash } from './text-hash.ts';

const PLACES_MIN = 8;

/**
 * A map by text whose entries come and go with every message: open addressing over arrays that are used again and only
 * ever grow. Not a Map on purpose, whose outgrown tables keep alive what passed through their successors (see `Slab`).
 */
export class PooledMap<V> {
  #keys: (string | undefined)[] = new Array<string | undefined>(PLACES_MIN).fill(undefined);
  #values: (V | undefined)[] = new Array<V | undefined>(PLACES_MIN).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#values[this.#placeOf(key)];
  }

  set(key: string, value: V): void {
    const place = this.#placeOf(key);
    if (this.#keys[place] === undefined) {
      this.#keys[place] = key;
      this.#size++;
    }
    this.#values[place] = value;
    if (this.#size * 2 > this.#keys.length) this.#grow();
  }

  /** What stands there, or what is made for it: one search where `get` and `set` take two. */
  getOrSet(key: string, make: () => V): V {
    const place = this.#placeOf(key);
    if (this.#keys[place] !== undefined) return this.#values[place] as V;
    const value = make();
    this.#keys[place] = key;
    this.#values[place] = value;
    this.#size++;
    if (this.#size * 2 > this.#keys.length) this.#grow();
    return value;
  }

  /** False when there was none. What stands behind it in its run moves up, so that no grave is left. */
  delete(key: string): boolean {
    let gap = this.#placeOf(key);
    if (this.#keys[gap] === undefined) return false;
    const mask = this.#keys.length - 1;
    for (let at = (gap + 1) & mask; this.#keys[at] !== undefined; at = (at + 1) & mask) {
      const home = scattered(this.#keys[at] as string) & mask;
      // Only what may stand at the gap: its home is not between the gap and where it stands.
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

  /** A list of its own, in no order to rely on. */
  values(): V[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Where the key stands, or the free place where it would. */
  #placeOf(key: string): number {
    const mask = this.#keys.length - 1;
    let place = scattered(key) & mask;
    for (let held = this.#keys[place]; held !== undefined && held !== key; held = this.#keys[place]) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Array<string | undefined>(keys.length * 2).fill(undefined);
    this.#values = new Array<V | undefined>(keys.length * 2).fill(undefined);
    keys.forEach((key, at) => {
      if (key === undefined) return;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#values[place] = values[at];
    });
  }
}

/** The low bits of the hash depend on the last characters alone: the high ones are folded in. */
function scattered(key: string): number {
  const hash = textHash(key);
  return hash ^ (hash >>> 15);
}
