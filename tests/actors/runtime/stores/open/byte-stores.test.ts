/** The sealing keys of a cluster on PostgreSQL: a node with no place for them does not start. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnfitKeyStore } from '../../../../../actors/runtime/ports/key-store.ts';
import { openByteStores } from '../../../../../actors/runtime/stores/open/byte-stores.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { paced } from '../../../../support/pace.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import { startPostgres } from '../../../../support/postgres/server.ts';

const it = bounded(test);
const own = await startPostgres();
const store = await openDatabase(own.url);
const keysUrl = `${store.url}_keys`;
const name = new URL(keysUrl).pathname.slice(1);

/** No statement of these tests has to be cut. */
const bounds = { ...testBounds, statementMs: paced(10_000), answerMs: paced(15_000) };

function open(unsetVariable: string | null) {
  return openByteStores({
    choice: { kind: 'postgres', url: store.url, keys: { url: keysUrl, unsetVariable }, bounds },
    ...{ data: '', blobBytesMax: 1_000, clock: systemClock, random: systemRandom },
  });
}

it('without the database of the keys the start is refused with one line that names both remedies', async () => {
  const failure = await failureOf(open('TROUPE_KEYS_URL'));
  assert.instance(failure, UnfitKeyStore);
  assert.match(
    failure.message,
    /^TROUPE_KEYS_URL is not set, so the keys that seal batches, files and videos .*_keys does not exist.*: create it first, or set TROUPE_KEYS_URL to a database on another server$/,
  );
  assert.not.match(failure.message, new RegExp(new URL(own.url).password));
  assert.match((await failureOf(open(null))).message, /^the database \S+_keys does not exist/);
});

it('with that database a key seals; a server with a replica is refused, since the keys would be copied', async () => {
  await store.run(`CREATE DATABASE ${name}`);
  const { keys, blobs } = await open('TROUPE_KEYS_URL');
  assert.is((await keys.current()).secret.type, 'secret');
  await Promise.all([keys.close(), blobs.close()]);
  await store.run(`SELECT pg_create_physical_replication_slot('standby')`);
  const failure = await failureOf(open('TROUPE_KEYS_URL'));
  assert.match(failure.message, /on a server with a replica or a replication slot: .*, or set TROUPE_KEYS_URL/);
});

test.after(() => own.stop());

test.run();
