import type { ActorEvent, RowView } from '../event.ts';
import type { RowRef } from '../kind.ts';
import type { Cell } from './cell.ts';
import { byOrder } from './open-order.ts';
import type { RowWrite } from './row-cache.ts';

/** The rows passed to a chart with one event, by the name the kind gave them. */
type Rows = Readonly<Record<string, readonly RowView[]>>;

/** A row that must be read from the store first. */
export class Unread {
  readonly collection: string;
  readonly id: string;
  constructor(collection: string, id: string) {
    this.collection = collection;
    this.id = id;
  }
}

const NO_ROWS: Rows = Object.freeze({});
const NO_ROW: readonly RowView[] = Object.freeze([]);

/**
 * Resolves the rows that the kind requests for this event: from writes of the running cascade, then from rows in
 * memory, then from rows read for this message. Returns `Unread` for a row that must be read from the store; it never
 * reads itself.
 */
export function resolveRows(cell: Cell, event: ActorEvent, written: readonly RowWrite[]): Rows | Unread {
  const refs = cell.kind.kind.rows?.(event);
  if (refs === undefined || refs.length === 0) return NO_ROWS;
  const rows: Record<string, readonly RowView[]> = {};
  for (const ref of refs) {
    if ('open' in ref) {
      rows[ref.as] = openRows(cell, ref.collection, written);
      continue;
    }
    if ('next' in ref) {
      rows[ref.as] = nextRows(cell, ref, written);
      continue;
    }
    const found = rowOf(cell, ref, written);
    if (found === undefined) {
      if (!cell.kind.collections.has(ref.collection)) throw new Error(`rows names collection ${ref.collection}`);
      return new Unread(ref.collection, ref.id);
    }
    rows[ref.as] = found;
  }
  return rows;
}

function rowOf(
  cell: Cell,
  ref: Extract<RowRef, { readonly id: string }>,
  written: readonly RowWrite[],
): readonly RowView[] | undefined {
  for (let i = written.length - 1; i >= 0; i--) {
    const write = written[i] as RowWrite;
    if (write.id === ref.id && write.beside === cell.rows && write.collection.name === ref.collection)
      return viewOf(write);
  }
  const held = cell.rows.find(ref.collection, ref.id);
  if (held !== undefined) return viewOf(held.latest);
  if (!ref.mayBeStored) return NO_ROW;
  const read = cell.rows.readView(ref.collection, ref.id);
  if (read === undefined) return undefined;
  return read === null ? NO_ROW : [read];
}

function viewOf(write: RowWrite): readonly RowView[] {
  return write.removed ? NO_ROW : [{ id: write.id, body: write.body }];
}

function openRows(cell: Cell, collection: string, written: readonly RowWrite[]): readonly RowView[] {
  const open = new Map<string, RowWrite>();
  for (const row of cell.rows.open(collection)) open.set(row.id, row);
  for (const write of written) {
    if (write.beside !== cell.rows || write.collection.name !== collection) continue;
    if (write.open) open.set(write.id, write);
    else open.delete(write.id);
  }
  const sorted = [...open.values()].sort(byOrder);
  return sorted.map((row) => ({ id: row.id, body: row.body }));
}

/** The next open rows, including the writes of the running cascade. */
function nextRows(
  cell: Cell,
  { collection, next }: Extract<RowRef, { readonly next: number }>,
  written: readonly RowWrite[],
): readonly RowView[] {
  const max = cell.kind.collections.get(collection)?.nextMax ?? 0;
  if (!Number.isInteger(next) || next < 1 || next > max) {
    throw new Error(`rows names the next ${next} of collection ${collection}, which allows 1 to ${max}`);
  }
  const own = new Map<string, RowWrite>();
  for (const write of written) {
    if (write.beside === cell.rows && write.collection.name === collection) own.set(write.id, write);
  }
  // Each row written by this cascade hides at most one row in memory.
  let first = cell.rows.next(collection, next + own.size);
  if (own.size > 0) {
    const opened = [...own.values()].filter((row) => row.open);
    first = [...first.filter((row) => !own.has(row.id)), ...opened].sort(byOrder).slice(0, next);
  }
  return first.map(({ id, body }) => ({ id, body }));
}
