/** The data of the memory store and the rules of the Store port over it: synchronous, every call is one transaction. */

import { isInState } from '../../actors/runtime/actor/state-text.ts';
import { ownerOf } from '../../actors/runtime/index.ts';
import {
  type ActorCountRow,
  type ActorEntry,
  type ActorPage,
  type ActorQuery,
  type ActorRecord,
  type ClusterEvent,
  type ClusterRows,
  deathSetting,
  ENDED_NODES_MAX,
  type Heartbeat,
  type IndexColumn,
  type NodeRow,
  type RowKey,
  type RowQuery,
  type RowRecord,
  type RowTrim,
  type ShardMove,
  type ShardRow,
  type ShardVerdict,
  type ShardWrite,
  type Store,
  type StoredState,
  type TimerRecord,
} from '../../actors/runtime/ports/store.ts';
import { stateOf } from '../../actors/runtime/stores/state-of.ts';
import { MemoryEvents } from './memory-events.ts';
import { compareRows, compareText, orderOf } from './row-order.ts';

export type Registration = Parameters<Store['register']>[0];

const QUERY_ROWS_MAX = 1_000;

interface StoredTimer {
  readonly timer: TimerRecord;
  readonly shard: number;
}

export class MemoryTables {
  readonly #actors = new Map<string, ActorRecord>();
  readonly #since = new Map<string, number>();
  /** collection -> id -> address -> row */
  readonly #rows = new Map<string, Map<string, Map<string, RowRecord>>>();
  readonly #openRows = new Map<string, Map<string, RowRecord>>();
  readonly #timers = new Map<string, Map<string, StoredTimer>>();
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

  commit(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    return writes.map((write) => {
      const reason = this.#judge(write);
      if (reason !== null) return { shard: write.shard, committed: false, reason };
      this.#apply(write);
      return { shard: write.shard, committed: true };
    });
  }

  #judge(write: ShardWrite): 'fence' | 'version' | null {
    const row = this.#shards[write.shard];
    if (row?.owner !== write.owner || row.epoch !== write.epoch) return 'fence';
    for (const { record, expected } of write.actors) {
      if ((this.#actors.get(record.address)?.version ?? 0) !== expected) return 'version';
    }
    for (const { address, expected } of write.stopped) {
      if ((this.#actors.get(address)?.version ?? 0) !== expected) return 'version';
    }
    return null;
  }

  #apply(write: ShardWrite): void {
    for (const { address } of write.stopped) {
      this.#actors.delete(address);
      this.#timers.delete(address);
    }
    for (const { record } of write.actors) {
      const before = this.#actors.get(record.address);
      const stays = before !== undefined && stateOf(before.snapshot) === stateOf(record.snapshot);
      if (!stays) this.#since.set(record.address, this.#now());
      this.#actors.set(record.address, { ...record });
    }
    for (const key of write.rowsRemoved) this.#removeRow(key);
    for (const trim of write.rowsTrimmed) this.#trimRows(trim);
    for (const row of write.rowsPut) this.#putRow(row);
    for (const { address, name } of write.timersCancelled) this.#timers.get(address)?.delete(name);
    for (const timer of write.timersSet) {
      const own = this.#timers.get(timer.address) ?? new Map<string, StoredTimer>();
      own.set(timer.name, { timer: { ...timer }, shard: write.shard });
      this.#timers.set(timer.address, own);
    }
  }

  #trimRows({ address, collection, rowsMax }: RowTrim): void {
    const own = [...this.#allRows(collection)].filter((row) => row.address === address).sort(compareRows);
    for (const row of own.slice(0, Math.max(0, own.length - rowsMax))) this.#removeRow(row);
  }

  #putRow(given: RowRecord): void {
    const index = [0, 1, 2, 3].map((column) => given.index[column] ?? null);
    const row = { ...given, index };
    const byId = this.#rows.get(row.collection) ?? new Map<string, Map<string, RowRecord>>();
    this.#rows.set(row.collection, byId);
    const byAddress = byId.get(row.id) ?? new Map<string, RowRecord>();
    byId.set(row.id, byAddress);
    byAddress.set(row.address, row);
    const open = this.#openRows.get(row.address) ?? new Map<string, RowRecord>();
    this.#openRows.set(row.address, open);
    if (row.open) open.set(`${row.collection}\0${row.id}`, row);
    else open.delete(`${row.collection}\0${row.id}`);
  }

  #removeRow({ address, collection, id }: RowKey): boolean {
    const byAddress = this.#rows.get(collection)?.get(id);
    this.#openRows.get(address)?.delete(`${collection}\0${id}`);
    const existed = byAddress?.delete(address) ?? false;
    if (byAddress?.size === 0) this.#rows.get(collection)?.delete(id);
    return existed;
  }

  loadActor(address: string) {
    const actor = this.#actors.get(address);
    if (!actor) return null;
    const openRows = [...(this.#openRows.get(address)?.values() ?? [])];
    openRows.sort((a, b) => compareText(a.collection, b.collection) || compareRows(a, b));
    return { actor, openRows };
  }

  listActors(query: ActorQuery): ActorPage {
    checkLimit(query.limit);
    const { kind, owner, shards, after, order, limit } = query;
    const byTime = order === 'since';
    const turn = byTime && query.newestFirst === true ? -1 : 1;
    const state = byTime ? query.state : undefined;
    const address = byTime ? undefined : query.address;
    const place = (a: { since: number; address: string }, b: { since: number; address: string }): number =>
      turn * ((byTime ? a.since - b.since : 0) || compareText(a.address, b.address));
    const found = [...this.#actors.values()]
      .map((actor) => this.#entryOf(actor))
      .filter(
        (entry) =>
          (address === undefined || entry.address === address) &&
          (kind === undefined || entry.kind === kind) &&
          (owner === undefined || ownerOf(entry.address) === owner) &&
          (state === undefined || isInState(entry.state, state)) &&
          (shards?.includes(entry.shard) ?? true) &&
          (after === undefined || place(entry, after) > 0),
      )
      .sort(place);
    const last = found[limit - 1];
    const next = found.length > limit && last !== undefined ? { since: last.since, address: last.address } : null;
    return { actors: found.slice(0, limit), next };
  }

  #entryOf({ address, kind, shard, version, chart, snapshot }: ActorRecord): ActorEntry {
    const since = this.#since.get(address) ?? 0;
    return { address, kind, shard, version, chart, state: stateOf(snapshot), since };
  }

  actorCounts(): readonly ActorCountRow[] {
    const counts = new Map<string, ActorCountRow>();
    for (const { kind, snapshot, chart } of this.#actors.values()) {
      const state = stateOf(snapshot);
      const key = `${kind}\0${state}\0${String(chart).padStart(8, '0')}`;
      counts.set(key, { kind, state, chart, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return inOrder(counts);
  }

  states(): readonly StoredState[] {
    const found = new Map<string, StoredState>();
    for (const { kind, snapshot, chart, address } of this.#actors.values()) {
      const value = stateValueOf(snapshot);
      const key = `${kind}\0${String(chart).padStart(8, '0')}\0${value ?? ''}`;
      const known = found.get(key);
      const example = known === undefined || address < known.example ? address : known.example;
      found.set(key, { kind, chart, value, count: (known?.count ?? 0) + 1, example });
    }
    return inOrder(found);
  }

  row({ address, collection, id }: RowKey): RowRecord | null {
    return this.#rows.get(collection)?.get(id)?.get(address) ?? null;
  }

  rowById(collection: string, id: string): RowRecord | null {
    const holders = this.#rows.get(collection)?.get(id);
    const first = [...(holders?.keys() ?? [])].sort(compareText)[0];
    return first === undefined ? null : (holders?.get(first) ?? null);
  }

  query(query: RowQuery): readonly RowRecord[] {
    checkLimit(query.limit);
    const before = orderOf(query);
    const { address, where, startsWith, openOnly, after, limit } = query;
    const found = [...this.#allRows(query.collection)].filter(
      (row) =>
        (address === undefined || row.address === address) &&
        (where === undefined || row.index[where.column] === where.equals) &&
        (startsWith === undefined || row.index[startsWith.column]?.startsWith(startsWith.text)) &&
        (!openOnly || row.open) &&
        (after === undefined || before(row, after) > 0),
    );
    return found.sort(before).slice(0, limit);
  }

  referred(columns: readonly IndexColumn[], values: readonly string[]): readonly string[] {
    const standing = new Set<string | null | undefined>();
    for (const { collection, column } of columns) {
      for (const row of this.#allRows(collection)) standing.add(row.index[column]);
    }
    return values.filter((value) => standing.has(value));
  }

  *#allRows(collection?: string): Generator<RowRecord> {
    for (const [name, byId] of this.#rows) {
      if (collection !== undefined && name !== collection) continue;
      for (const byAddress of byId.values()) yield* byAddress.values();
    }
  }

  expired(now: number, limit: number): readonly RowRecord[] {
    const expired = [...this.#allRows()].filter((row) => row.expiresAt !== null && row.expiresAt < now);
    return expired.sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0)).slice(0, limit);
  }

  sweep(now: number, limit: number): number {
    return this.remove(this.expired(now, limit));
  }

  /** Those whose body has not changed. */
  remove(rows: readonly RowRecord[]): number {
    return rows.filter((row) => this.row(row)?.body === row.body && this.#removeRow(row)).length;
  }

  timersDue(shards: readonly number[], until: number, limit: number): readonly TimerRecord[] {
    const wanted = new Set(shards);
    const due: TimerRecord[] = [];
    for (const own of this.#timers.values()) {
      for (const { timer, shard } of own.values()) if (wanted.has(shard) && timer.dueAt <= until) due.push(timer);
    }
    return due.sort(compareTimers).slice(0, limit);
  }

  timersOf(address: string): readonly TimerRecord[] {
    return [...(this.#timers.get(address)?.values() ?? [])].map(({ timer }) => timer).sort(compareTimers);
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
    checkLimit(query.limit);
    return this.events.list(query);
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

function inOrder<T>(found: ReadonlyMap<string, T>): readonly T[] {
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
}

/** JSON text of the state value; null if there is none. */
function stateValueOf(snapshot: string): string | null {
  try {
    return JSON.stringify((JSON.parse(snapshot) as { value?: unknown }).value) ?? null;
  } catch {
    return null;
  }
}

function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > QUERY_ROWS_MAX) {
    throw new RangeError(`limit must be 1 to ${QUERY_ROWS_MAX}`);
  }
}

function isAlive(node: NodeRow): boolean {
  return node.state !== 'dead' && node.state !== 'left';
}

function compareTimers(a: TimerRecord, b: TimerRecord): number {
  return a.dueAt - b.dueAt || compareText(a.address, b.address) || compareText(a.name, b.name);
}
