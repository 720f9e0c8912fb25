/** Blobs in PostgreSQL keep the contract of the Blobs port, and what a lost connection leaves is swept. */
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobsRefused } from '../../../../../actors/runtime/ports/blobs.ts';
import { openPostgresBlobs } from '../../../../../actors/runtime/stores/postgres/open-postgres-blobs.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { systemRandom } from '../../../../../actors/runtime/system/random.ts';
import { BLOB_BYTES_MAX, BLOB_WRITES_MAX, blobsContract } from '../../../../contracts/blobs.contract.ts';
import { bounded } from '../../../../support/bounded.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { pieces } from '../../../../support/pieces.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import type { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test, 20_000);
const PIECE_BYTES = 256 * 1024;
const database = await openDatabase();
const direct = new pg.Client({ connectionString: database.url });
await direct.connect();

/** The time of the test, and the real waits of the connection. */
function open(clock?: HandClock) {
  const now = clock ? () => clock.now() : systemClock.now;
  const bounds = { bytesMax: BLOB_BYTES_MAX, writesMax: BLOB_WRITES_MAX, bounds: testBounds };
  return openPostgresBlobs({ url: database.url, clock: { ...systemClock, now }, random: systemRandom, ...bounds });
}

async function damage(id: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const { rows } = await direct.query<{ body: Buffer }>('SELECT body FROM blob_pieces WHERE blob = $1 ORDER BY n', [
    id,
  ]);
  const changed = change(Buffer.concat(rows.map(({ body }) => body)));
  await direct.query('DELETE FROM blob_pieces WHERE blob = $1', [id]);
  let n = 0;
  for (let at = 0; at < changed.length; at += PIECE_BYTES) {
    const body = changed.subarray(at, at + PIECE_BYTES);
    await direct.query('INSERT INTO blob_pieces (blob, n, body) VALUES ($1, $2, $3)', [id, n++, body]);
  }
  await direct.query('UPDATE blobs SET pieces = $2 WHERE id = $1', [id, n]);
}

blobsContract('postgres', async (clock) => {
  const [blobs, other] = await Promise.all([open(clock), open(clock)]);
  await direct.query('TRUNCATE blobs CASCADE');
  return { blobs, other, damage, close: async () => void (await Promise.all([blobs.close(), other.close()])) };
});

it('a piece that is gone is damage, and no part of another blob takes its place', async () => {
  const blobs = await open();
  const blob = await blobs.put(pieces.of(pieces.random(600_000)));
  await direct.query('DELETE FROM blob_pieces WHERE blob = $1 AND n = 1', [blob.id]);
  assert.match((await failureOf(pieces.gather(blobs.read(blob)))).message, /262144 of its 600000 bytes/);
  await blobs.close();
});

it('connections that are cut in the middle refuse the blob, leave nothing visible, and serve the next one', async () => {
  await direct.query('TRUNCATE blobs CASCADE');
  const blobs = await open();
  async function* source() {
    yield pieces.random(600_000);
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'troupe blobs'",
    );
    yield* Array.from({ length: 4 }, () => pieces.random(600_000));
  }
  // A piece either meets the cut or is sent on a new connection: both are sound, a half is not.
  const outcome = await blobs.put(source()).catch((error: unknown) => error);
  if (outcome instanceof Error) assert.instance(outcome, BlobsRefused);
  else assert.is((await pieces.gather(blobs.read(outcome as never))).length, 3_000_000);
  const listed = await blobs.list({ after: null, before: Date.now() + 9_999, limit: 9 });
  assert.is(listed.length, outcome instanceof Error ? 0 : 1);
  const blob = await blobs.put(pieces.of(pieces.random(10)));
  assert.is((await pieces.gather(blobs.read(blob))).length, 10);
  await blobs.close();
});

it('a removal takes every piece along', async () => {
  const blobs = await open();
  const blob = await blobs.put(pieces.of(pieces.random(1_000_000)));
  const count = async () => (await direct.query('SELECT 1 FROM blob_pieces WHERE blob = $1', [blob.id])).rowCount;
  assert.is(await count(), 4);
  await blobs.remove(blob.id);
  assert.is(await count(), 0);
  await blobs.close();
});

test.after(async () => {
  await direct.end();
  await database.drop();
});

test.run();
