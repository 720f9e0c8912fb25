import type { ShardRow } from '../../ports/store.ts';

/**
 * The owner of each shard as far as this node knows. Only a higher epoch changes an entry, whatever its source; the
 * store's fence remains authoritative. Entries start unknown (epoch -1).
 */
export class ShardMap {
  readonly count: number;
  readonly #owners: (string | null)[];
  readonly #epochs: number[];
  readonly #changed: (shard: number) => void;

  /** `changed` is called after an owner changed. */
  constructor(count: number, changed: (shard: number) => void) {
    this.count = count;
    this.#owners = new Array<string | null>(count).fill(null);
    this.#epochs = new Array<number>(count).fill(-1);
    this.#changed = changed;
  }

  ownerOf(shard: number): string | null {
    return this.#owners[shard] ?? null;
  }

  epochOf(shard: number): number {
    return this.#epochs[shard] ?? -1;
  }

  row(shard: number): ShardRow {
    return { shard, owner: this.ownerOf(shard), epoch: this.epochOf(shard) };
  }

  /** True if the entry changed. */
  learn(row: ShardRow): boolean {
    if (row.shard < 0 || row.shard >= this.count || row.epoch <= this.epochOf(row.shard)) return false;
    this.#owners[row.shard] = row.owner;
    this.#epochs[row.shard] = row.epoch;
    this.#changed(row.shard);
    return true;
  }

  /** Every known owner, for a newly connected peer. */
  known(): readonly (readonly [number, string, number])[] {
    return this.#owners.flatMap((owner, shard) =>
      owner === null ? [] : [[shard, owner, this.epochOf(shard)] as const],
    );
  }

  /** How many shards each incarnation owns. */
  tally(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const owner of this.#owners) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  }
}

/** Which node is preferred for a shard: highest hash of name and shard, so a restarted node gets its shards back. */
export function preferred<N extends { readonly name: string }>(shard: number, nodes: readonly N[]): N | null {
  let best: N | null = null;
  let bestWeight = -1;
  for (const node of nodes) {
    const weight = weigh(node.name, shard);
    if (weight > bestWeight || (weight === bestWeight && best !== null && node.name < best.name)) {
      best = node;
      bestWeight = weight;
    }
  }
  return best;
}

/** FNV-1a over the name and the shard, finished by murmur3's mixer. It must never change. */
function weigh(name: string, shard: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (shard & 0xff), 0x01000193);
  hash = Math.imul(hash ^ (shard >>> 8), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
