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
  await cleaner.query(`TRUNCATE actors, rows, timers, nodes;
    DELETE FROM settings WHERE name <> 'shards';
    UPDATE shards SET owner = NULL, epoch = 0;
    UPDATE counters SET value = CASE name WHEN 'births' THEN 0 ELSE 1 END`);
}

storeContract('postgres', async () => {
  await clean();
  return { store, reopen: async () => ({ ...other, close: async () => {} }), close: async () => {} };
});

test.after(async () => {
  await cleaner.end();
  await Promise.all([store.close(), other.close()]);
  await database.drop();
});

test.run();
