/** Blobs in PostgreSQL meet the contract of the Blobs port, and the leftovers of a lost connection are swept. */
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { segment } from '../../../../../actors/runtime/bytes/segment.ts';
import { BlobCorrupt, BlobsRefused, type OpenBlob } from '../../../../../actors/runtime/ports/blobs.ts';
import { openPostgresBlobs } from '../../../../../actors/runtime/stores/postgres/open-postgres-blobs.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { BLOB_BYTES_MAX, BLOB_WRITES_MAX } from '../../../../contracts/blobs/clause.ts';
import { blobsContract } from '../../../../contracts/blobs.contract.ts';
import { bounded } from '../../../../support/bounded.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { pieces } from '../../../../support/pieces.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import type { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const database = await openDatabase();
const direct = new pg.Client({ connectionString: database.url });
await direct.connect();

/** Records which parts of pieces this process's clients request, and how many bytes arrive. */
const reads: (readonly [number, number])[] = [];
const { query } = pg.Client.prototype;
pg.Client.prototype.query = async function (this: pg.Client, ...args: unknown[]) {
  const result = await (query as (...args: unknown[]) => Promise<pg.QueryResult>).apply(this, args);
  const call = args[0] as { readonly name?: string; readonly values: readonly [string, number, number, number] };
  if (call?.name === 'blob-part') {
    reads.push([call.values[1] * segment.pieceBytes + call.values[2] - 1, result.rows[0]?.body.length ?? 0]);
  }
  return result;
} as typeof query;

/** The test's time with the connection's real waits. */
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
  await direct.query('BEGIN');
  await direct.query('DELETE FROM blob_pieces WHERE blob = $1', [id]);
  let n = 0;
  for (let at = 0; at < changed.length; at += segment.pieceBytes) {
    const body = changed.subarray(at, at + segment.pieceBytes);
    await direct.query('INSERT INTO blob_pieces (blob, n, body) VALUES ($1, $2, $3)', [id, n++, body]);
  }
  await direct.query('COMMIT');
}

blobsContract('postgres', async (clock) => {
  const [blobs, other] = await Promise.all([open(clock), open(clock)]);
  await direct.query('TRUNCATE blobs CASCADE');
  return {
    blobs,
    other,
    damage,
    touched: () => reads.splice(0),
    close: async () => void (await Promise.all([blobs.close(), other.close()])),
  };
});

it('a missing piece is damage, and no part of another blob replaces it', async () => {
  const blobs = await open();
  const blob = await blobs.put(pieces.of(pieces.random(600_000)));
  await direct.query('DELETE FROM blob_pieces WHERE blob = $1 AND n = 1', [blob.id]);
  assert.match((await failureOf(pieces.gather(blobs.read(blob)))).message, /338024 bytes are stored instead of 600280/);
  await blobs.close();
});

it('swapped pieces, and a piece replaced by another, are damage', async () => {
  const blobs = await open();
  const pieceBytes = 4 * segment.plainBytes;
  for (const places of [
    [1, 0, 2],
    [0, 2, 2],
  ]) {
    const blob = await blobs.put(pieces.of(pieces.random(3 * pieceBytes)));
    const { rows } = await direct.query<{ body: Buffer }>('SELECT body FROM blob_pieces WHERE blob = $1 ORDER BY n', [
      blob.id,
    ]);
    for (const [n, from] of places.entries()) {
      const values = [blob.id, n, rows[from]?.body];
      await direct.query('UPDATE blob_pieces SET body = $3 WHERE blob = $1 AND n = $2', values);
    }
    const bad = places.findIndex((from, n) => from !== n);
    assert.is(await deliveredBefore(blobs.read(blob)), bad * pieceBytes);
    assert.is(await deliveredBefore(blobs.read(blob, { from: bad * pieceBytes, to: 3 * pieceBytes })), 0);
  }
  await blobs.close();
});

it('a blob removed during a read is missing, not damaged', async () => {
  const blobs = await open();
  const blob: OpenBlob = await blobs.put(pieces.of(pieces.random(600_000)));
  const reading = async (): Promise<void> => {
    for await (const _ of blobs.read(blob)) await blobs.remove(blob.id);
  };
  assert.is((await failureOf(reading())).name, 'BlobMissing');
  await blobs.close();
});

/** Number of bytes delivered before the damage is detected. */
async function deliveredBefore(reading: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  const failure = await failureOf(
    (async () => {
      for await (const piece of reading) bytes += piece.length;
    })(),
  );
  assert.instance(failure, BlobCorrupt);
  return bytes;
}

it('connections cut during a write refuse the blob, leave nothing visible, and work for the next one', async () => {
  await direct.query('TRUNCATE blobs CASCADE');
  const blobs = await open();
  async function* source() {
    yield pieces.random(600_000);
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'troupe blobs'",
    );
    yield* Array.from({ length: 4 }, () => pieces.random(600_000));
  }
  // A piece either fails at the cut or is sent on a new connection; both are valid, a half-written one is not.
  const outcome = await blobs.put(source()).catch((error: unknown) => error);
  if (outcome instanceof Error) assert.instance(outcome, BlobsRefused);
  else assert.is((await pieces.gather(blobs.read(outcome as never))).length, 3_000_000);
  const listed = await blobs.list({ after: null, before: Date.now() + 9_999, limit: 9 });
  assert.is(listed.length, outcome instanceof Error ? 0 : 1);
  const blob = await blobs.put(pieces.of(pieces.random(10)));
  assert.is((await pieces.gather(blobs.read(blob))).length, 10);
  await blobs.close();
});

it('a removal deletes every piece', async () => {
  const blobs = await open();
  const blob = await blobs.put(pieces.of(pieces.random(1_000_000)));
  const count = async () => (await direct.query('SELECT 1 FROM blob_pieces WHERE blob = $1', [blob.id])).rowCount;
  assert.is(await count(), 4);
  await blobs.remove(blob.id);
  assert.is(await count(), 0);
  await blobs.close();
});

test.after(async () => {
  pg.Client.prototype.query = query;
  await direct.end();
  await database.drop();
});

test.run();
