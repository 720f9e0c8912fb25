/** Actors of one shard that are told apart. Those beyond it are told their shard's highest version: a gap, and sound. */
export const VERSION_FLOORS_MAX = 4_096;

/**
 * Versions that actors had before a refused commit took them back: what they publish next has to be newer. One is
 * forgotten when a later version of its actor is durable, for then the store says so itself.
 */
export class VersionFloor {
  readonly #versions = new Map<string, number>();
  /** No actor that is not told apart has had a higher one. */
  #others = 0;

  note(address: string, version: number): void {
    if (this.#versions.size >= VERSION_FLOORS_MAX && !this.#versions.has(address)) {
      for (const each of this.#versions.values()) this.#others = Math.max(this.#others, each);
      this.#versions.clear();
    }
    this.#versions.set(address, version);
  }

  /** 0 where it was never taken back. */
  of(address: string): number {
    return this.#versions.get(address) ?? this.#others;
  }

  /** What the actor does since is durable. */
  passed(address: string): void {
    if (this.#versions.size > 0) this.#versions.delete(address);
  }
}
