/** The PostgreSQL store meets the contract of the Store port: two stores on one database, emptied between clauses. */
import pg from 'pg';
import { test } from 'uvu';
import { openPostgresStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { storeContract } from '../../../../contracts/store.contract.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';

const database = await openDatabase();
const options = { url: database.url, shards: SHARDS, clock: systemClock, random: systemRandom, bounds: testBounds };
const [store, other] = await Promise.all([openPostgresStore(options), openPostgresStore(options)]);
const cleaner = new pg.Client({ connectionString: database.url });
await cleaner.connect();

async function clean(): Promise<void> {
  await cleaner.query(`TRUNCATE actors, actor_counts, rows, timers, nodes, cluster_events;
    DELETE FROM settings WHERE name <> 'shards';
    UPDATE shards SET owner = NULL, epoch = 0;
    UPDATE counters SET value = CASE name WHEN 'shards_revision' THEN 1 ELSE 0 END`);
}

storeContract('postgres', async () => {
  await clean();
  const nextEvent = async (n: number): Promise<void> =>
    void (await cleaner.query("UPDATE counters SET value = $1 WHERE name = 'cluster_events'", [n - 1]));
  return { store, reopen: async () => ({ ...other, close: async () => {} }), close: async () => {}, nextEvent };
});

test.after(async () => {
  await cleaner.end();
  await Promise.all([store.close(), other.close()]);
  await database.drop();
});

test.run();
