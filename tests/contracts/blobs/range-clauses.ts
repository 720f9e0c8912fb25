/** Range reads return the right bytes, from the segments that contain them, in steps. */
import * as assert from 'uvu/assert';
import { segment } from '../../../actors/runtime/bytes/segment.ts';
import { BlobMissing, BlobRangeError } from '../../../actors/runtime/ports/blobs.ts';
import { seededFraction } from '../../../actors/runtime/stores/sqlite/lock.ts';
import { failureOf } from '../../support/failure-of.ts';
import { pieces } from '../../support/pieces.ts';
import { BLOB_BYTES_MAX, type Clause, put } from './clause.ts';

export function rangeClauses(clause: Clause): void {
  clause('every range returns the bytes from its start up to but excluding its end', async ({ blobs, other }) => {
    const fraction = seededFraction(11);
    const upTo = (max: number): number => Math.floor(fraction() * (max + 1));
    const { plainBytes } = segment;
    const edgeLengths = [0, 1, plainBytes - 1, plainBytes, plainBytes + 1, 4 * plainBytes, 5 * plainBytes + 3_001];
    for (const length of [...edgeLengths, ...Array.from({ length: 4 }, () => upTo(1_000_000))]) {
      const bytes = pieces.random(length, length + 1);
      const blob = await put(blobs, bytes);
      const edges = [0, 1, plainBytes - 1, plainBytes, plainBytes + 1, 4 * plainBytes, length - 1, length];
      const starts = edges.filter((edge) => edge >= 0 && edge <= length);
      const ranges = starts.flatMap((from) => starts.filter((to) => to >= from).map((to) => ({ from, to })));
      for (let n = 0; n < 20; n++) {
        const from = upTo(length);
        ranges.push({ from, to: from + upTo(length - from) });
      }
      for (const range of ranges) {
        const found = await pieces.gather(other.read(blob, range));
        assert.ok(found.equals(bytes.subarray(range.from, range.to)), `${range.from} to ${range.to} of ${length}`);
      }
    }
  });

  clause('a range beyond the blob is refused at the call, with the total', async ({ blobs }) => {
    const blob = await put(blobs, pieces.random(100_000));
    const within = blob.bytes;
    const outside = [
      { from: within + 1, to: within + 1 },
      { from: 0, to: within + 1 },
      { from: -1, to: 4 },
      { from: 5, to: 4 },
      { from: 0.5, to: 4 },
      { from: 0, to: 4.5 },
      { from: Number.NaN, to: 4 },
      { from: 0, to: Number.POSITIVE_INFINITY },
    ];
    for (const range of outside) {
      let failure: unknown = null;
      try {
        blobs.read(blob, range);
      } catch (error) {
        failure = error;
      }
      assert.instance(failure, BlobRangeError, JSON.stringify(range));
      assert.instance(failure, RangeError);
      assert.is((failure as BlobRangeError).bytes, within);
    }
    assert.is((await pieces.gather(blobs.read(blob, { from: within, to: within }))).length, 0);
  });

  clause('a range of an unknown blob is missing, including an empty one', async ({ blobs }) => {
    const blob = await put(blobs);
    await blobs.remove(blob.id);
    for (const range of [
      { from: 0, to: 10 },
      { from: 500, to: 500 },
      { from: 1_000, to: 1_000 },
    ]) {
      assert.instance(await failureOf(pieces.gather(blobs.read(blob, range))), BlobMissing);
    }
  });

  clause('a range reads only the segments that contain it', async ({ blobs, touched }) => {
    const blob = await put(blobs, pieces.random(BLOB_BYTES_MAX));
    const { plainBytes, storedBytes } = segment;
    const cases = [
      { from: 0, to: 1, first: 0, count: 1 },
      { from: plainBytes - 1, to: plainBytes + 1, first: 0, count: 2 },
      { from: 7 * plainBytes, to: 8 * plainBytes, first: 7, count: 1 },
      { from: 3 * plainBytes + 9, to: 9 * plainBytes - 9, first: 3, count: 6 },
      { from: BLOB_BYTES_MAX - 1, to: BLOB_BYTES_MAX, first: BLOB_BYTES_MAX / plainBytes - 1, count: 1 },
      { from: BLOB_BYTES_MAX, to: BLOB_BYTES_MAX, first: BLOB_BYTES_MAX / plainBytes - 1, count: 1 },
    ];
    for (const { first, count, ...range } of cases) {
      touched();
      assert.is((await pieces.gather(blobs.read(blob, range))).length, range.to - range.from);
      const stretches = touched();
      assert.is(stretches[0]?.[0], first * storedBytes);
      assert.is(
        stretches.reduce((sum, [, bytes]) => sum + bytes, 0),
        count * storedBytes,
        `${range.from} to ${range.to}`,
      );
    }
  });

  clause('a long range is read in steps as it is consumed', async ({ blobs, touched }) => {
    const blob = await put(blobs, pieces.random(BLOB_BYTES_MAX));
    touched();
    let read = 0;
    let taken = 0;
    for await (const piece of blobs.read(blob, { from: 1, to: BLOB_BYTES_MAX })) {
      for (const [, bytes] of touched()) read += bytes;
      taken += piece.length;
      assert.ok(read - taken <= segment.pieceBytes, `${read - taken} bytes were read ahead`);
      assert.ok(piece.length <= segment.plainBytes);
    }
    assert.is(taken, BLOB_BYTES_MAX - 1);
  });
}
