import type { Cell } from './cell.ts';
import type { ActorEvent, RowView } from './event.ts';
import type { RowWrite } from './held-rows.ts';
import type { RowRef } from './kind.ts';

/** The rows a chart sees with one event, by the name the kind gave them. */
export type Rows = Readonly<Record<string, readonly RowView[]>>;

/** A row that only the store can tell. */
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
 * What the kind's `rows` names for this event: writes of the running cascade first, then rows in memory, then what was
 * read for this message. Answers with the row to be read where only the store can tell. Never reads itself.
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
  const sorted = [...open.values()].sort((a, b) => a.sort - b.sort || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return sorted.map((row) => ({ id: row.id, body: row.body }));
}
