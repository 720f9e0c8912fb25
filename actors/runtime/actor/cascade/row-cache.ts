import { PooledMap } from '../../collections/pooled-map.ts';
import type { RegisteredCollection } from '../charts/register.ts';
import type { Json, RowView } from '../event.ts';
import { OpenOrder } from './open-order.ts';
import type { PendingCommit } from './pending-commit.ts';

/** The write of a row, with its columns derived from its body. */
export interface RowWrite {
  /** The cache of its actor's rows. */
  readonly beside: RowCache;
  readonly collection: RegisteredCollection;
  readonly id: string;
  readonly removed: boolean;
  readonly body: Json;
  readonly sort: number;
  readonly index: readonly (string | null)[];
  readonly open: boolean;
  readonly expiresAt: number | null;
  /** The row in memory, once the write has been applied. */
  held: CachedRow | null;
}

/** One row in memory: open, or written and not durable yet. */
interface CachedRow {
  latest: RowWrite;
  /** The newest entry that writes it; null once that is durable. */
  pending: PendingCommit | null;
  /**
   * Number of the batch that wrote it last, and its position there: within one batch a later write replaces an earlier
   * one.
   */
  batch: number;
  place: number;
}

/** A row being read from the store for waiting messages: undefined until it has arrived, null if there is none. */
interface ReadRow {
  readonly key: string;
  view: RowView | null | undefined;
  users: number;
}

/**
 * The rows cached beside a cell: all open ones, and every row whose write is not durable, removals included. Closed
 * rows are evicted when they are durable. A row that a waiting message reads from the store is kept current as well.
 */
export class RowCache {
  readonly address: string;
  private readonly byCollection = new Map<string, PooledMap<CachedRow>>();
  /** Null while no message waits for a row, which is the normal case: writes then skip the check. */
  private read: Map<string, ReadRow> | null = null;
  /** The sorted open rows of each collection whose next rows a chart has requested; null while there is none. */
  private orders: Map<string, OpenOrder<RowWrite>> | null = null;
  /** Number of rows that are ahead of the store. */
  unsettled = 0;

  constructor(address: string) {
    this.address = address;
  }

  /** Undefined: not in memory. */
  find(collection: string, id: string): CachedRow | undefined {
    return this.byCollection.get(collection)?.get(id);
  }

  /** Adds an open row at load. */
  load(row: RowWrite): void {
    row.held = heldOf(row);
    this.rowsOf(row.collection.name).set(row.id, row.held);
  }

  /** Applies a write; it stays until `pending` is durable. */
  apply(write: RowWrite, pending: PendingCommit): void {
    const rows = this.rowsOf(write.collection.name);
    if (this.orders !== null) {
      this.orders.get(write.collection.name)?.change(rows.get(write.id)?.latest ?? null, write);
    }
    const held = rows.getOrSet(write.id, () => heldOf(write));
    held.latest = write;
    if (held.pending === null) this.unsettled++;
    held.pending = pending;
    write.held = held;
  }

  /** The entry is durable: evicts the row if it is not open, unless a later entry writes it too. */
  settled(write: RowWrite, pending: PendingCommit): void {
    const held = write.held;
    if (held === null || held.pending !== pending) return;
    held.pending = null;
    this.unsettled--;
    const { latest } = held;
    if (this.read !== null) this.remember(this.read, latest);
    if (!latest.open) this.byCollection.get(latest.collection.name)?.delete(latest.id);
  }

  /** Rows of a collection in memory: the open ones, and those whose removal is not durable. */
  count(collection: string): number {
    return this.byCollection.get(collection)?.size ?? 0;
  }

  isEmpty(collection: string): boolean {
    return this.count(collection) === 0;
  }

  /** All open rows of a collection, in no particular order. */
  *open(collection: string): Iterable<RowWrite> {
    for (const held of this.byCollection.get(collection)?.values() ?? []) {
      if (held.latest.open) yield held.latest;
    }
  }

  /** The first `count` open rows of a collection by sort and id, or all if there are fewer. */
  next(collection: string, count: number): readonly RowWrite[] {
    this.orders ??= new Map();
    let order = this.orders.get(collection);
    if (order === undefined) {
      order = new OpenOrder<RowWrite>(this.open(collection));
      this.orders.set(collection, order);
    }
    return order.first(count);
  }

  /** Undefined: not read. Null: read, and absent. */
  readView(collection: string, id: string): RowView | null | undefined {
    return this.read?.get(keyOf(collection, id))?.view;
  }

  /** Registers a waiting message for this row: durable writes to it are tracked until `release`. */
  reading(collection: string, id: string): ReadRow {
    const key = keyOf(collection, id);
    this.read ??= new Map();
    const row = this.read.get(key) ?? { key, view: undefined, users: 0 };
    row.users++;
    this.read.set(key, row);
    return row;
  }

  /** Stores the row read from the store; a write that became durable since the read began takes precedence. */
  arrived(row: ReadRow, view: RowView | null): void {
    if (row.view === undefined) row.view = view;
  }

  release(row: ReadRow): void {
    row.users--;
    if (row.users > 0) return;
    this.read?.delete(row.key);
    if (this.read?.size === 0) this.read = null;
  }

  private remember(waiting: ReadonlyMap<string, ReadRow>, { collection, id, removed, body }: RowWrite): void {
    const read = waiting.get(keyOf(collection.name, id));
    if (read !== undefined) read.view = removed ? null : { id, body };
  }

  private rowsOf(collection: string): PooledMap<CachedRow> {
    let rows = this.byCollection.get(collection);
    if (rows === undefined) {
      rows = new PooledMap();
      this.byCollection.set(collection, rows);
    }
    return rows;
  }
}

function heldOf(latest: RowWrite): CachedRow {
  return { latest, pending: null, batch: 0, place: 0 };
}

function keyOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}
