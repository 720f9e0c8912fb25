import type { Answer } from '../../actor/answer.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import type { Fetched, Mail } from '../../actor/cascade/mailbox.ts';
import type { Unread } from '../../actor/cascade/resolve-rows.ts';
import type { RowWrite } from '../../actor/cascade/row-cache.ts';
import { systemCollections } from '../../actor/cascade/row-writes.ts';
import type { RegisteredCollection } from '../../actor/charts/register.ts';
import { checkSum, restore } from '../../actor/charts/snapshot.ts';
import type { Json, RowView } from '../../actor/event.ts';
import type { RowRecord, Store } from '../../ports/store.ts';
import { refused } from '../failures.ts';
import type { Shard } from '../shard.ts';
import type { CellRegistry } from './cell-registry.ts';

/** How often the step of one message may be retried because an actor or row was missing. */
const TRIES_MAX = 64;

type Loaded = Awaited<ReturnType<Store['loadActor']>>;

/**
 * Loads actors and single rows from the store into memory. It runs no step: callbacks report the end of loading. A
 * snapshot, open row or timer that does not load quarantines its cell instead of becoming a wrong state.
 */
export class Loader {
  private readonly store: Pick<Store, 'loadActor' | 'row'>;
  private readonly registry: CellRegistry;

  constructor(store: Pick<Store, 'loadActor' | 'row'>, registry: CellRegistry) {
    this.store = store;
    this.registry = registry;
  }

  /** Loads a new or rewound cell, then calls the callbacks in its `onLoaded`. */
  load(cell: Cell): void {
    this.read(cell).then(
      (loaded) => this.ended(cell, loaded),
      (error: unknown) => this.finish(cell, refused(error instanceof Error ? error.message : String(error))),
    );
  }

  /**
   * Reads one row for a waiting message. `done` receives the row (null: none), or the answer that reports the failure.
   */
  row(cell: Cell, collection: string, id: string, done: (view: RowView | null, failure: Answer | null) => void): void {
    this.readRow(cell.address, collection, id).then(
      (view) => done(view, null),
      (error: unknown) => done(null, refused(error instanceof Error ? error.message : String(error))),
    );
  }

  private async read(cell: Cell): Promise<Loaded> {
    return this.store.loadActor(cell.address);
  }

  private async readRow(address: string, collection: string, id: string): Promise<RowView | null> {
    const record = await this.store.row({ address, collection, id });
    return record === null ? null : { id, body: JSON.parse(record.body) as Json };
  }

  private ended(cell: Cell, loaded: Loaded): void {
    if (cell.shard.serving === 'gone') return;
    try {
      if (loaded !== null) restoreInto(cell, loaded);
      else beginAbsent(cell);
      cell.phase = 'ready';
    } catch (error) {
      cell.deferredStored = deferredAmong(loaded);
      this.registry.quarantine(cell, error instanceof Error ? error.message : String(error));
    }
    this.finish(cell, null);
  }

  private finish(cell: Cell, failure: Answer | null): void {
    if (cell.shard.serving === 'gone') return;
    for (const waiter of cell.onLoaded.splice(0)) waiter(failure);
  }
}

function beginAbsent(cell: Cell): void {
  cell.version = (cell.shard as Shard).versionFloor.ofAbsent(cell.address);
  cell.restoredVersion = cell.version;
}

function restoreInto(cell: Cell, { actor, openRows }: NonNullable<Loaded>): void {
  const fault = (cell.shard as Shard).faults.get(cell.address);
  if (fault !== undefined) throw new Error(fault);
  const at = checkSum(actor);
  const snapshot = restore(cell.kind, actor);
  // All or nothing: a row that does not parse fails the load before any row is applied.
  const rows = openRows.flatMap((record) => {
    const collection = cell.kind.collections.get(record.collection) ?? ownCollection(record.collection);
    return collection === undefined ? [] : [rowOf(cell, collection, record)];
  });
  cell.snapshot = snapshot;
  cell.version = Math.max(actor.version, (cell.shard as Shard).versionFloor.of(cell.address));
  cell.restoredVersion = cell.version;
  cell.handedVersion = actor.version;
  cell.durableVersion = actor.version;
  const loggedAt = cell.transitionLog.restore(actor.transitions);
  // A snapshot that an operator repaired may carry no time.
  cell.lastAt = Math.max(cell.lastAt, at ?? loggedAt);
  for (const row of rows) cell.rows.load(row);
}

/** Number of deferred inputs of an actor that does not load. */
function deferredAmong(loaded: Loaded): number {
  const { name } = systemCollections.deadLetters;
  return loaded?.openRows.filter(({ collection }) => collection === name).length ?? 0;
}

/** The runtime's own collections whose rows load with their actor. */
function ownCollection(name: string): RegisteredCollection | undefined {
  const { activities, deadLetters, recording } = systemCollections;
  return [activities, deadLetters, recording].find((own) => own.name === name);
}

function rowOf(cell: Cell, collection: RegisteredCollection, record: RowRecord): RowWrite {
  const { id, sort, index, open, expiresAt } = record;
  const body = parse(cell, record);
  return { beside: cell.rows, collection, id, removed: false, body, sort, index, open, expiresAt, held: null };
}

function parse({ address }: Cell, { collection, id, body }: RowRecord): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    throw new Error(`the open row ${collection}/${id} of ${address} is no JSON`);
  }
}

/** What a fetcher needs of the dispatcher. */
interface CellAccess {
  cellOf(address: string, shard: Shard): Cell;
  wake(cell: Cell): void;
}

/**
 * Parks a message whose step lacked an actor or a row, fetches the missing item, pins it in memory for the message, and
 * wakes the actor. The actor processes no other message meanwhile, which preserves the order of its messages.
 */
export class Fetcher {
  private readonly loader: Loader;
  private readonly registry: CellRegistry;
  private readonly cells: CellAccess;

  constructor(loader: Loader, registry: CellRegistry, cells: CellAccess) {
    this.loader = loader;
    this.registry = registry;
    this.cells = cells;
  }

  /** `lacking` is the actor that is not loaded, or whose row is to be read. False after too many tries. */
  fetch(cell: Cell, mail: Mail, lacking: string, row: Unread | null): boolean {
    mail.fetched ??= { tries: 0, release: [], failure: null };
    const { fetched } = mail;
    if (++fetched.tries > TRIES_MAX) return false;
    cell.parked = mail;
    cell.awaiting = 1;
    const other = this.cells.cellOf(lacking, cell.shard as Shard);
    if (row === null) this.actor(cell, mail, fetched, other);
    else this.row(cell, mail, fetched, other, row);
    return true;
  }

  private actor(cell: Cell, mail: Mail, fetched: Fetched, other: Cell): void {
    other.pins++;
    fetched.release.push(() => {
      other.pins--;
      this.registry.tidy(other);
    });
    other.onLoaded.push((failure) => this.arrived(cell, mail, failure));
  }

  private row(cell: Cell, mail: Mail, fetched: Fetched, other: Cell, { collection, id }: Unread): void {
    const { rows } = other;
    const reading = rows.reading(collection, id);
    other.pins++;
    fetched.release.push(() => {
      rows.release(reading);
      other.pins--;
      this.registry.tidy(other);
    });
    this.loader.row(other, collection, id, (view, failure) => {
      if (failure === null) rows.arrived(reading, view);
      this.arrived(cell, mail, failure);
    });
  }

  private arrived(cell: Cell, mail: Mail, failure: Answer | null): void {
    if (cell.parked !== mail) return;
    if (mail.fetched !== null && failure !== null) mail.fetched.failure = failure;
    cell.awaiting = 0;
    if (cell.phase !== 'loading') this.cells.wake(cell);
  }
}
