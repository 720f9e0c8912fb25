import type { Answer } from '../actor/answer.ts';
import type { Cell } from '../actor/cell.ts';
import type { Json, RowView } from '../actor/event.ts';
import type { RowWrite } from '../actor/held-rows.ts';
import type { RegisteredCollection } from '../actor/registered-kind.ts';
import { RestoreRefused, restore } from '../actor/restore.ts';
import { systemCollections } from '../actor/system-collections.ts';
import type { RowRecord, Store } from '../ports/store.ts';
import type { EngineHost } from './engine.ts';
import { refused } from './failures.ts';
import type { HeldShard } from './held-shard.ts';

type Loaded = Awaited<ReturnType<Store['loadActor']>>;

/**
 * Brings actors and single rows from the store into memory. Never steps anything: whoever waits is told when loading
 * ended. A snapshot that does not restore quarantines its cell instead of becoming a wrong state.
 */
export class Loader {
  private readonly store: Pick<Store, 'loadActor' | 'row'>;
  private readonly host: EngineHost;

  constructor(store: Pick<Store, 'loadActor' | 'row'>, host: EngineHost) {
    this.store = store;
    this.host = host;
  }

  /** Loads a new or rewound cell, then calls everybody in its `onLoaded`. */
  load(cell: Cell): void {
    this.read(cell).then(
      (loaded) => this.ended(cell, loaded),
      (error: unknown) => this.finish(cell, refused(error instanceof Error ? error.message : String(error))),
    );
  }

  /** Reads one row for a message that waits; `done` gets it (null: there is none), or what to answer instead. */
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
    if (cell.home.serving === 'gone') return;
    try {
      if (loaded !== null) take(cell, loaded);
      cell.phase = 'ready';
    } catch (error) {
      cell.phase = 'quarantined';
      cell.fault = error instanceof Error ? error.message : String(error);
      const message = error instanceof RestoreRefused ? 'a snapshot does not restore' : 'an actor does not load';
      this.host.log({ level: 'error', message, address: cell.address, detail: cell.fault });
    }
    this.finish(cell, null);
  }

  private finish(cell: Cell, failure: Answer | null): void {
    if (cell.home.serving === 'gone') return;
    for (const waiter of cell.onLoaded.splice(0)) waiter(failure);
  }
}

function take(cell: Cell, { actor, openRows }: NonNullable<Loaded>): void {
  cell.snapshot = restore(cell.kind, actor);
  cell.version = Math.max(actor.version, (cell.home as HeldShard).reached.get(cell.address) ?? 0);
  cell.handedVersion = actor.version;
  cell.durableVersion = actor.version;
  cell.lastAt = Math.max(cell.lastAt, cell.trail.restore(actor.trail));
  for (const record of openRows) {
    const collection = cell.kind.collections.get(record.collection) ?? ownCollection(record.collection);
    if (collection !== undefined) cell.rows.load(rowOf(cell, collection, record));
  }
}

/** The one collection of the runtime itself whose rows are resident. */
function ownCollection(name: string): RegisteredCollection | undefined {
  return name === systemCollections.intents.name ? systemCollections.intents : undefined;
}

function rowOf(cell: Cell, collection: RegisteredCollection, record: RowRecord): RowWrite {
  const { id, sort, index, open, expiresAt } = record;
  const body = JSON.parse(record.body) as Json;
  return { beside: cell.rows, collection, id, removed: false, body, sort, index, open, expiresAt, held: null };
}
