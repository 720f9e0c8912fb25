/**
 * A commit as the columns of `commit_batch_1`: one array per column, one element per record; `part` gives the record's
 * shard.
 */
import type { ShardWrite } from '../../ports/store.ts';
import { stateOf } from '../state-of.ts';
import { ArrayColumn, type ElementType } from './array-column.ts';

const SHARDS = ['integer', 'text', 'bigint'] as const;
const ACTORS = [
  ...(['integer', 'text', 'text', 'integer', 'integer', 'bigint', 'integer'] as const),
  ...(['text', 'text', 'text', 'bigint'] as const),
];
const STOPPED = ['integer', 'text', 'bigint'] as const;
const ROWS = [
  ...(['integer', 'text', 'text', 'text', 'double'] as const),
  ...(['text', 'text', 'text', 'text', 'boolean', 'double', 'text'] as const),
];
const ROWS_REMOVED = ['integer', 'text', 'text', 'text'] as const;
const ROWS_TRIMMED = ['integer', 'text', 'text', 'integer'] as const;
const TIMERS = ['integer', 'text', 'text', 'integer', 'double', 'text'] as const;
const TIMERS_CANCELLED = ['integer', 'text', 'text'] as const;

/** Parallel columns; a record is one element of each. */
class Table {
  readonly #columns: readonly ArrayColumn[];

  constructor(types: readonly ElementType[]) {
    this.#columns = types.map((type) => new ArrayColumn(type));
  }

  add(...values: readonly (string | number | boolean | null)[]): void {
    for (let i = 0; i < values.length; i++) this.#columns[i]?.add(values[i] as string | number | boolean | null);
  }

  end(): Buffer[] {
    return this.#columns.map((column) => column.end());
  }
}

/** The parameters of the call, in order. Parts count from 1, like PostgreSQL arrays. */
export function packCommit(writes: readonly ShardWrite[]): Buffer[] {
  const shards = new Table(SHARDS);
  const actors = new Table(ACTORS);
  const stopped = new Table(STOPPED);
  const rows = new Table(ROWS);
  const removed = new Table(ROWS_REMOVED);
  const trimmed = new Table(ROWS_TRIMMED);
  const timers = new Table(TIMERS);
  const cancelled = new Table(TIMERS_CANCELLED);
  writes.forEach((write, at) => {
    const part = at + 1;
    shards.add(write.shard, write.owner, write.epoch);
    packActors(actors, part, write);
    for (const { address, expected } of write.stopped) stopped.add(part, address, expected);
    packRows(rows, part, write);
    for (const { address, collection, id } of write.rowsRemoved) removed.add(part, address, collection, id);
    for (const { address, collection, rowsMax } of write.rowsTrimmed) trimmed.add(part, address, collection, rowsMax);
    for (const { address, name, dueAt, event } of write.timersSet) {
      timers.add(part, address, name, write.shard, dueAt, event);
    }
    for (const { address, name } of write.timersCancelled) cancelled.add(part, address, name);
  });
  return [shards, actors, stopped, rows, removed, trimmed, timers, cancelled].flatMap((table) => table.end());
}

function packActors(table: Table, part: number, { actors }: ShardWrite): void {
  for (const { record: a, expected } of actors) {
    const state = stateOf(a.snapshot);
    table.add(part, a.address, a.kind, a.hash, a.shard, a.version, a.chart, state, a.snapshot, a.transitions, expected);
  }
}

function packRows(table: Table, part: number, { rowsPut }: ShardWrite): void {
  for (const { address, collection, id, sort, index, open, expiresAt, body } of rowsPut) {
    const [index0 = null, index1 = null, index2 = null, index3 = null] = index;
    table.add(part, address, collection, id, sort, index0, index1, index2, index3, open, expiresAt, body);
  }
}
