/** Nodes, shards, settings and events of the memory store, by the rules of the Store port: every call is one transaction. */
import {
  type ClusterEvent,
  type ClusterRows,
  deathSetting,
  ENDED_NODES_MAX,
  type Heartbeat,
  type NodeRow,
  type ShardMove,
  type ShardRow,
  type Store,
} from '../../actors/runtime/ports/store.ts';
import { checkedLimit } from '../../actors/runtime/stores/actor-list.ts';
import { MemoryEvents } from './memory-events.ts';

export type Registration = Parameters<Store['register']>[0];

export class MemoryMembership {
  readonly #nodes = new Map<string, NodeRow>();
  readonly #shards: ShardRow[];
  readonly #settings = new Map<string, string>();
  #shardsRevision = 1;
  readonly events: MemoryEvents;
  readonly #now: () => number;

  /** `now` is the store time, ms. */
  constructor(shards: number, now: () => number) {
    this.#now = now;
    this.events = new MemoryEvents(now);
    this.#shards = Array.from({ length: shards }, (_, shard) => ({ shard, owner: null, epoch: 0 }));
    this.#settings.set('shards', String(shards));
  }

  protected shardRow(shard: number): ShardRow | undefined {
    return this.#shards[shard];
  }

  register(node: Registration): { readonly birth: number } {
    if (this.#nodes.has(node.incarnation)) throw new Error(`incarnation ${node.incarnation} is already registered`);
    for (const other of this.#nodes.values()) if (other.name === node.name) this.#die(other, 'replaced', null);
    const ended = this.allNodes().filter((other) => !isAlive(other));
    for (const { incarnation } of ended.slice(0, -ENDED_NODES_MAX)) {
      this.#nodes.delete(incarnation);
      this.#settings.delete(deathSetting(incarnation));
    }
    const birth = (this.allNodes().at(-1)?.birth ?? 0) + 1;
    this.#nodes.set(node.incarnation, {
      ...node,
      birth,
      beat: 0,
      beatAt: null,
      reaches: [],
      state: 'joining',
      why: null,
    });
    this.events.note('joined', node, {});
    return { birth };
  }

  #die(node: NodeRow, why: string, suspectedAt: number | null): boolean {
    if (!isAlive(node)) return false;
    this.#nodes.set(node.incarnation, { ...node, state: 'dead', why });
    this.events.died(node, why, suspectedAt);
    return true;
  }

  clusterEvents(query: Parameters<Store['clusterEvents']>[0]): ClusterEvent[] {
    return this.events.list({ ...query, limit: checkedLimit(query.limit) });
  }

  heartbeat({ incarnation, reaches, state }: Heartbeat): Omit<ClusterRows, 'now'> {
    const node = this.#nodes.get(incarnation);
    if (node && isAlive(node)) {
      this.#nodes.set(incarnation, {
        ...node,
        beat: node.beat + 1,
        beatAt: this.#now(),
        reaches: [...reaches],
        state,
      });
    }
    const all = this.allNodes();
    const ended = all.filter((other) => !isAlive(other)).slice(-ENDED_NODES_MAX);
    const nodes = all.filter((other) => isAlive(other) || ended.includes(other));
    return { nodes, shardsRevision: this.#shardsRevision };
  }

  allNodes(): readonly NodeRow[] {
    return [...this.#nodes.values()].sort((a, b) => a.birth - b.birth);
  }

  markDead(incarnation: string, seenBeat: number, why: string, suspectedAt: number | null = null): boolean {
    const node = this.#nodes.get(incarnation);
    return node?.beat === seenBeat && this.#die(node, why, suspectedAt);
  }

  leave(incarnation: string): void {
    const node = this.#nodes.get(incarnation);
    if (node === undefined || !isAlive(node)) return;
    this.#nodes.set(incarnation, { ...node, state: 'left', why: 'left' });
    this.events.left(node);
  }

  shardRows(): readonly ShardRow[] {
    return [...this.#shards];
  }

  claim(owner: string, from: readonly ShardRow[]): readonly ShardRow[] {
    if (this.#nodes.get(owner)?.state !== 'up') return [];
    const taken: ShardRow[] = [];
    const holders = new Map<string | null, ShardMove[]>();
    for (const seen of from) {
      const row = this.#shards[seen.shard];
      if (!row || row.owner !== seen.owner || row.epoch !== seen.epoch) continue;
      const holder = row.owner === null ? undefined : this.#nodes.get(row.owner);
      if (holder && holder.incarnation !== owner && isAlive(holder)) continue;
      const moved = this.#move(row, owner);
      holders.set(row.owner, [...(holders.get(row.owner) ?? []), [moved.shard, moved.epoch]]);
      taken.push(moved);
    }
    if (taken.length > 0) this.#shardsRevision += 1;
    for (const [holder, moves] of holders) this.#noteMove('claimed', owner, holder, moves);
    return taken;
  }

  give(from: ShardRow, to: string): ShardRow | null {
    const row = this.#shards[from.shard];
    if (!row || from.owner === null || row.owner !== from.owner || row.epoch !== from.epoch) return null;
    if (this.#nodes.get(to)?.state !== 'up') return null;
    this.#shardsRevision += 1;
    const moved = this.#move(row, to);
    this.#noteMove('handed_over', to, row.owner, [[moved.shard, moved.epoch]]);
    return moved;
  }

  #noteMove(type: 'claimed' | 'handed_over', to: string, from: string | null, moves: readonly ShardMove[]): void {
    const named = (incarnation: string) => ({ incarnation, name: this.#nodes.get(incarnation)?.name ?? incarnation });
    this.events.noteMove(type, { to: named(to), from: from === null ? null : named(from), moves });
  }

  #move(row: ShardRow, owner: string): ShardRow {
    const moved = { shard: row.shard, owner, epoch: row.epoch + 1 };
    this.#shards[row.shard] = moved;
    return moved;
  }

  /** Applies the effect of restoring a copy to every shard. */
  raiseEpochs(jump: number): void {
    for (const { shard, epoch } of this.#shards) this.#shards[shard] = { shard, owner: null, epoch: epoch + jump };
    this.#shardsRevision += jump;
  }

  setting(name: string, valueIfAbsent: string): string {
    const stored = this.#settings.get(name);
    if (stored !== undefined) return stored;
    this.#settings.set(name, valueIfAbsent);
    return valueIfAbsent;
  }
}

function isAlive(node: NodeRow): boolean {
  return node.state !== 'dead' && node.state !== 'left';
}
