/** Every kind of damage is detected before a byte of the damaged segment is delivered. */
import * as assert from 'uvu/assert';
import { segment } from '../../../actors/runtime/bytes/segment.ts';
import { BlobCorrupt } from '../../../actors/runtime/ports/blobs.ts';
import { seededFraction } from '../../../actors/runtime/stores/sqlite/lock.ts';
import { pieces } from '../../support/pieces.ts';
import { type Clause, put } from './clause.ts';

/** Nine full segments and a tenth of 10,176 bytes: more than two pieces of a store. */
const DAMAGED_BYTES = 9 * segment.plainBytes + 10_176;

/** The bytes delivered from a blob or range before the read fails or ends. */
async function deliveredOf(reading: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; failure: unknown }> {
  const found: Uint8Array[] = [];
  let failure: unknown = null;
  try {
    for await (const piece of reading) found.push(piece);
  } catch (error) {
    failure = error;
  }
  return { bytes: Buffer.concat(found), failure };
}

/** The stored segments in this order. */
function reordered(order: readonly number[]) {
  const at = (bytes: Buffer, n: number) => bytes.subarray(n * segment.storedBytes, (n + 1) * segment.storedBytes);
  return (bytes: Buffer): Buffer => Buffer.concat(order.map((n) => at(bytes, n)));
}

export function damageClauses(clause: Clause): void {
  clause('rewriting the same bytes is no damage', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    await damage(blob.id, (stored) => Buffer.from(stored));
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes));
  });

  clause('any flipped bit is detected before a byte of its segment is delivered', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    const stored = DAMAGED_BYTES + 10 * (segment.storedBytes - segment.plainBytes);
    const edges = [0, 11, 12, segment.storedBytes - 1, segment.storedBytes, 3 * segment.storedBytes + 7, stored - 1];
    const fraction = seededFraction(7);
    const spots = [...edges, ...Array.from({ length: 20 }, () => Math.floor(fraction() * stored))];
    let whole = Buffer.alloc(0);
    for (const spot of spots) {
      await damage(blob.id, (found) => {
        if (whole.length === 0) whole = Buffer.from(found);
        return flip(whole, spot);
      });
      const bad = Math.floor(spot / segment.storedBytes);
      const { bytes: delivered, failure } = await deliveredOf(blobs.read(blob));
      assert.instance(failure, BlobCorrupt, `byte ${spot}`);
      assert.ok(delivered.equals(bytes.subarray(0, bad * segment.plainBytes)), `byte ${spot}: all before, none of it`);
      for (const range of [{ from: bad * segment.plainBytes, to: DAMAGED_BYTES }, middleOf(bad)]) {
        const part = await deliveredOf(blobs.read(blob, range));
        assert.instance(part.failure, BlobCorrupt, `byte ${spot} in a range`);
        assert.is(part.bytes.length, 0);
      }
    }
    await damage(blob.id, () => whole);
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes), 'only the flips were damage');
  });

  clause('a range without a damaged segment is delivered completely', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    await damage(blob.id, (whole) => flip(flip(whole, 0), 5 * segment.storedBytes));
    const range = { from: segment.plainBytes, to: 5 * segment.plainBytes };
    assert.ok((await pieces.gather(blobs.read(blob, range))).equals(bytes.subarray(range.from, range.to)));
  });

  clause('a truncated or extended blob delivers nothing', async ({ blobs, damage }) => {
    const changes: readonly ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, bytes.length - 1),
      (bytes) => bytes.subarray(0, segment.pieceBytes),
      (bytes) => bytes.subarray(0, 9 * segment.storedBytes),
      (bytes) => bytes.subarray(segment.storedBytes),
      (bytes) => bytes.subarray(0, 0),
      (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]),
      (bytes) => Buffer.concat([bytes, bytes]),
    ];
    for (const [at, change] of changes.entries()) {
      const blob = await put(blobs, pieces.random(DAMAGED_BYTES, at + 1));
      await damage(blob.id, change);
      for (const range of [undefined, { from: 0, to: 1 }, { from: DAMAGED_BYTES - 1, to: DAMAGED_BYTES }]) {
        const { bytes, failure } = await deliveredOf(blobs.read(blob, range));
        assert.instance(failure, BlobCorrupt, `change ${at}`);
        assert.is(bytes.length, 0, `change ${at}`);
      }
    }
  });

  clause('swapped, duplicated or moved segments are detected at their position', async ({ blobs, damage }) => {
    const bytes = pieces.random(4 * segment.plainBytes);
    const orders = [
      [1, 0, 2, 3],
      [0, 1, 3, 2],
      [0, 0, 2, 3],
      [0, 1, 2, 2],
      [3, 1, 2, 0],
    ];
    for (const order of orders) {
      const blob = await put(blobs, bytes);
      await damage(blob.id, reordered(order));
      const bad = order.findIndex((n, at) => n !== at);
      const { bytes: delivered, failure } = await deliveredOf(blobs.read(blob));
      assert.instance(failure, BlobCorrupt, `${order}`);
      assert.is(delivered.length, bad * segment.plainBytes, `${order}`);
      for (const at of [0, 1, 2, 3]) {
        const part = await deliveredOf(blobs.read(blob, middleOf(at)));
        assert.is(part.failure instanceof BlobCorrupt, order[at] !== at, `${order}, segment ${at}`);
      }
    }
  });

  clause('a truncation hidden by a changed length is detected at the wrong end', async ({ blobs, damage }) => {
    const blob = await put(blobs, pieces.random(3 * segment.plainBytes));
    await damage(blob.id, (stored) => stored.subarray(0, 2 * segment.storedBytes));
    const shorter = { ...blob, bytes: 2 * segment.plainBytes };
    assert.ok((await pieces.gather(blobs.read(shorter, { from: 0, to: 1 }))).length === 1, 'the length fits');
    assert.instance((await deliveredOf(blobs.read(shorter))).failure, BlobCorrupt);
  });

  clause(
    'another blob of the same length in its place, or one of its segments, is damage',
    async ({ blobs, damage }) => {
      const bytes = [1, 2].map((seed) => pieces.random(3 * segment.plainBytes, seed)) as [Uint8Array, Uint8Array];
      const [one, two] = [await put(blobs, bytes[0]), await put(blobs, bytes[1])];
      const taken: Buffer[] = [];
      const take = (stored: Buffer): Buffer => {
        taken.push(Buffer.from(stored));
        return stored;
      };
      await damage(one.id, take);
      await damage(two.id, take);
      const [own, foreign] = taken as [Buffer, Buffer];
      await damage(one.id, () => foreign);
      for (const range of [undefined, ...[0, 1, 2].map(middleOf)]) {
        const { bytes: delivered, failure } = await deliveredOf(blobs.read(one, range));
        assert.instance(failure, BlobCorrupt);
        assert.is(delivered.length, 0);
      }
      const [from, to] = [segment.storedBytes, 2 * segment.storedBytes];
      await damage(one.id, () => Buffer.concat([own.subarray(0, from), foreign.subarray(from, to), own.subarray(to)]));
      const mixed = await deliveredOf(blobs.read(one));
      assert.instance(mixed.failure, BlobCorrupt);
      assert.ok(mixed.bytes.equals(bytes[0].subarray(0, segment.plainBytes)));
      assert.ok((await pieces.gather(blobs.read(two))).equals(bytes[1]), 'the other blob is intact');
    },
  );
}

/** A few bytes in the middle of one segment. */
function middleOf(position: number): { from: number; to: number } {
  const from = position * segment.plainBytes + 5_000;
  return { from, to: from + 9 };
}

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}
