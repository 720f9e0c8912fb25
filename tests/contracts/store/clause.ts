/** Shared by the clauses of the Store port: a separate store each, and their registration. */
import type { Store } from '../../../actors/runtime/ports/store.ts';

/** One opened, empty store of `SHARDS` shards. `reopen` gives another connection to the same data. */
export interface OpenedStore {
  readonly store: Store;
  readonly reopen?: () => Promise<Store>;
  readonly close: () => Promise<void>;
  /** Lets the next cluster event have this number. */
  readonly nextEvent: (n: number) => Promise<void>;
}

/** Registers a clause: a title and a body that gets a fresh store. */
export type Clause = (title: string, run: (store: Store, opened: OpenedStore) => Promise<void>) => void;
