interface Entry<V> {
  readonly key: string;
  value: V;
  newer: Entry<V> | null;
  older: Entry<V> | null;
}

/**
 * A map with a bound: the entry that was used longest ago makes room. Never grows past `entriesMax`. The order of use is
 * a list of its own, so that a find changes no table.
 */
export class Lru<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #entriesMax: number;
  #newest: Entry<V> | null = null;
  #oldest: Entry<V> | null = null;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#use(entry);
    return entry.value;
  }

  keep(key: string, value: V): void {
    const known = this.#entries.get(key);
    if (known) {
      known.value = value;
      this.#use(known);
      return;
    }
    const entry = { key, value, newer: null, older: null };
    this.#entries.set(key, entry);
    this.#append(entry);
    if (this.#entries.size > this.#entriesMax && this.#oldest) this.drop(this.#oldest.key);
  }

  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  #use(entry: Entry<V>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  #append(entry: Entry<V>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry<V>): void {
    if (entry.newer) entry.newer.older = entry.older;
    else this.#newest = entry.older;
    if (entry.older) entry.older.newer = entry.newer;
    else this.#oldest = entry.newer;
    entry.newer = null;
    entry.older = null;
  }
}
