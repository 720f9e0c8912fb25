/** The data of the memory store and the rules of the Store port over it: synchronous, every call is one transaction. */

import { isInState } from '../../actors/runtime/actor/state-text.ts';
import { ownerOf } from '../../actors/runtime/index.ts';
import type {
  ActorCountRow,
  ActorEntry,
  ActorPage,
  ActorQuery,
  ActorRecord,
  IndexColumn,
  RowKey,
  RowQuery,
  RowRecord,
  RowTrim,
  ShardVerdict,
  ShardWrite,
  StoredState,
  TimerRecord,
} from '../../actors/runtime/ports/store.ts';
import { stateOf } from '../../actors/runtime/stores/state-of.ts';
import { MemoryMembership } from './memory-membership.ts';
import { compareRows, compareText, orderOf } from './row-order.ts';

const QUERY_ROWS_MAX = 1_000;

interface StoredTimer {
  readonly timer: TimerRecord;
  readonly shard: number;
}

export class MemoryTables extends MemoryMembership {
  readonly #actors = new Map<string, ActorRecord>();
  readonly #since = new Map<string, number>();
  /** collection -> id -> address -> row */
  readonly #rows = new Map<string, Map<string, Map<string, RowRecord>>>();
  readonly #openRows = new Map<string, Map<string, RowRecord>>();
  readonly #timers = new Map<string, Map<string, StoredTimer>>();
  readonly #now: () => number;

  /** `now` is the store time, ms. */
  constructor(shards: number, now: () => number) {
    super(shards, now);
    this.#now = now;
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
    const row = this.shardRow(write.shard);
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

function compareTimers(a: TimerRecord, b: TimerRecord): number {
  return a.dueAt - b.dueAt || compareText(a.address, b.address) || compareText(a.name, b.name);
}
