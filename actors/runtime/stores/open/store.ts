/**
 * Opens the store of a node and refuses one that was restored from an old copy. Loads only the code of the chosen
 * store.
 */
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { withBootMarks } from '../boot-mark.ts';
import type { StoreChoice } from '../store-choice.ts';

interface OpenStoreOptions {
  readonly choice: StoreChoice;
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Folder of the boot marks, outside the store, and the name of this node in it. */
  readonly marks: { readonly folder: string; readonly node: string };
  /** Called when the disk becomes full and when it has space again. Never called for PostgreSQL. */
  readonly onFull: (full: boolean) => void;
  /** Called when the mark of this node cannot be written, once until it can be again. */
  readonly onUnmarked: (error: Error) => void;
  /** The store failed permanently: the process must exit and start again. */
  readonly onFatal: (error: Error) => void;
}

export interface OpenedStore extends Store {
  /**
   * How long this node's writer has been waiting for the store's lock, ms; 0 without a wait, and always 0 for
   * PostgreSQL.
   */
  busyMs(): number;
  /** True while the remaining space is reserved for work in progress: new work must be refused. */
  full(): boolean;
}

/** Rejects with a one-line message for the operator. */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const store = await open(options);
  try {
    return await withBootMarks(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function open({ choice, shards, clock, random, marks, onFull, onFatal }: OpenStoreOptions): Promise<OpenedStore> {
  if (choice.kind === 'sqlite') {
    const { openSqliteStore } = await import('../sqlite/open-sqlite-store.ts');
    const { path, busyMs: busyBoundMs, ballastBytes } = choice;
    return openSqliteStore({ path, shards, clock, random, busyBoundMs, ballastBytes, onFull, onFatal });
  }
  const { openPostgresStore } = await import('../postgres/open-postgres-store.ts');
  const { url, bounds } = choice;
  const store = await openPostgresStore({
    url,
    shards,
    clock,
    random,
    bounds,
    applicationName: `troupe ${marks.node}`,
  });
  return { ...store, busyMs: () => 0, full: () => false };
}
