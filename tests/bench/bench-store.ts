import { type Store, systemClock, systemRandom } from '../../actors/runtime/index.ts';
import { openPostgresStore } from '../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import config from '../../cluster.config.ts';

/** The store of a benchmark, as in production: a SQLite file, or a PostgreSQL database by its address. */
export function openBenchStore(database: string): Promise<Store> {
  const common = { shards: config.runtime.shards, clock: systemClock, random: systemRandom };
  if (!database.startsWith('postgres://')) return openSqliteStore({ ...common, path: database, busyBoundMs: 1_000 });
  return openPostgresStore({ ...common, url: database, bounds: config.store.postgres });
}
