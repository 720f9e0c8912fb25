/**
 * Opens the store of a node, whichever it is, and sees to it that it is not an old copy of itself. Only the code of the
 * chosen store is loaded.
 */
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../ports/store.ts';
import { marked } from './boot-mark.ts';
import type { PostgresBounds } from './postgres/open-postgres-store.ts';

/** Which store, and what it alone needs. Times in ms. */
export type StoreChoice = SqliteChoice | PostgresChoice;

export interface SqliteChoice {
  readonly kind: 'sqlite';
  readonly path: string;
  readonly busyMs: number;
  readonly ballastBytes: number;
}

export interface PostgresChoice {
  readonly kind: 'postgres';
  readonly url: string;
  /** Of the database of the sealing keys, which is another one; null where there is none. */
  readonly keysUrl: string | null;
  readonly bounds: PostgresBounds;
}

export interface OpenStoreOptions {
  readonly choice: StoreChoice;
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Folder that remembers, outside the store, how far the store had come; and the name of this node in it. */
  readonly marks: { readonly folder: string; readonly node: string };
  /** The disk is full, or is no longer. Never said of a store elsewhere. */
  readonly onFull: (full: boolean) => void;
  /** The store failed for good: end the process and start again. */
  readonly onFatal: (error: Error) => void;
}

export interface OpenedStore extends Store {
  /** How long the store has made this node's writer wait, ms; 0 when it does not, or where nobody can be blamed. */
  busyMs(): number;
  /** True while there is room for work under way only: new work has to be refused. */
  full(): boolean;
}

/** Rejects with one line for the operator. */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const store = await open(options);
  try {
    return await marked(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function open({ choice, shards, clock, random, marks, onFull, onFatal }: OpenStoreOptions): Promise<OpenedStore> {
  if (choice.kind === 'sqlite') {
    const { openSqliteStore } = await import('./sqlite/open-sqlite-store.ts');
    const { path, busyMs: busyBoundMs, ballastBytes } = choice;
    return openSqliteStore({ path, shards, clock, random, busyBoundMs, ballastBytes, onFull, onFatal });
  }
  const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
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
