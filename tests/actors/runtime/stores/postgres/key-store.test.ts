/** Sealing keys in a separate PostgreSQL database meet the contract of the KeyStore port. */
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnfitKeyStore } from '../../../../../actors/runtime/ports/key-store.ts';
import { openPostgresBlobs } from '../../../../../actors/runtime/stores/postgres/open-postgres-blobs.ts';
import { openPostgresKeyStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-key-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { holds, keyStoreContract } from '../../../../contracts/key-store.contract.ts';
import { bounded } from '../../../../support/bounded.ts';
import { everyByte } from '../../../../support/every-byte.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import { startPostgres } from '../../../../support/postgres/server.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const HOUR_MS = 3_600_000;
const database = await openDatabase();
const admin = new URL(database.url);
const name = admin.pathname.slice(1);
admin.pathname = '/postgres';
const server = new pg.Client({ connectionString: admin.href });
await server.connect();

/** The test's time with the connection's real waits. */
function open(clock: HandClock, url = database.url) {
  const time = { ...systemClock, now: () => clock.now() };
  return openPostgresKeyStore({ url, clock: time, random: systemRandom, bounds: testBounds });
}

keyStoreContract('postgres', async (clock) => {
  const keys = await open(clock);
  const others = await Promise.all([open(clock), open(clock)]);
  await database.run('TRUNCATE sealing_keys');
  return {
    keys,
    others,
    block: async () => {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    },
    unblock: async () => void (await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)),
    contents: async () => {
      await database.run('CHECKPOINT');
      const [file] = await database.run(`SELECT pg_read_binary_file(pg_relation_filepath('sealing_keys')) AS bytes`);
      return file?.bytes as Buffer;
    },
    close: async () => void (await Promise.all([keys, ...others].map((node) => node.close()))),
  };
});

it("the store's own database is refused with one line", async () => {
  const store = await openDatabase();
  const bounds = { bounds: testBounds, bytesMax: 1 };
  await (await openPostgresBlobs({ url: store.url, clock: systemClock, random: systemRandom, ...bounds })).close();
  const failure = await failureOf(open(new HandClock(), store.url));
  assert.instance(failure, UnfitKeyStore);
  assert.match(failure.message, /is the store's: give the keys a database of their own$/);
  await store.drop();
});

it('on a server that keeps no old log, no file contains a destroyed key', async () => {
  const own = await startPostgres();
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  const clock = new HandClock(490_000 * HOUR_MS);
  try {
    await client.query("ALTER SYSTEM SET wal_recycle = 'off'");
    await client.query("ALTER SYSTEM SET wal_keep_size = '0'");
    await client.query('SELECT pg_reload_conf()');
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    const folder = rows[0]?.data_directory ?? '';
    const keys = await open(clock, own.url);
    const gone = (await keys.current()).secret.export();
    await clock.advance(49 * HOUR_MS);
    await keys.current();
    await client.query('CHECKPOINT');
    assert.ok(holds(everyByte(folder), gone), 'the search finds existing bytes');
    await clock.advance(HOUR_MS);
    assert.equal(await keys.sweep(), { destroyed: 1, kept: 1 });
    assert.not.ok(holds(everyByte(folder), gone));
    await keys.close();
  } finally {
    await client.end();
    await own.stop();
  }
});

test.after(async () => {
  await server.end();
  await database.drop();
});

test.run();
