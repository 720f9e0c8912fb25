import type { Store } from '../../../../../actors/runtime/ports/store.ts';
import { openPostgresStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import type { PostgresBounds } from '../../../../../actors/runtime/stores/store-choice.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { own, SHARDS } from '../../../../contracts/store/records.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase, type TestDatabase } from '../../../../support/postgres/database.ts';

export interface Scene {
  readonly database: TestDatabase;
  readonly store: Store;
  /** Fence of node `i1`, which owns the shards of the scene. */
  readonly fence: { readonly owner: string; readonly epoch: number };
  /** Opens another store on the same database, directly or through a proxy; closed with the scene. */
  open(more?: { readonly url?: string; readonly bounds?: Partial<PostgresBounds> }): Promise<Store>;
}

interface SceneOptions {
  readonly shards?: readonly number[];
  /** A server other than the shared one. */
  readonly server?: string;
  readonly bounds?: Partial<PostgresBounds>;
}

/** A fresh database, a store on it, and a node that owns shards; all removed afterwards. */
export async function withStores(
  run: (scene: Scene) => Promise<void>,
  options: SceneOptions | readonly number[] = {},
): Promise<void> {
  const {
    shards = [7],
    server,
    bounds = {},
  } = Array.isArray(options) ? { shards: options } : (options as SceneOptions);
  const database = await openDatabase(server);
  const opened: Store[] = [];
  const open: Scene['open'] = async (more = {}) => {
    const store = await openPostgresStore({
      url: more.url ?? database.url,
      shards: SHARDS,
      clock: systemClock,
      random: systemRandom,
      bounds: { ...testBounds, ...bounds, ...more.bounds },
    });
    opened.push(store);
    return store;
  };
  try {
    const store = await open();
    await run({ database, store, fence: await own(store, 'i1', shards), open });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
    await database.drop().catch(() => {});
  }
}
