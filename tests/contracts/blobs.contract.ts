/** Every clause of the Blobs port as tests. One suite, run by each implementation from its own test file. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { segment } from '../../actors/runtime/bytes/segment.ts';
import {
  BlobCorrupt,
  BlobMissing,
  BlobRangeError,
  type Blobs,
  BlobsRefused,
  BlobTooLarge,
  type OpenBlob,
} from '../../actors/runtime/ports/blobs.ts';
import { seededFraction } from '../../actors/runtime/stores/sqlite/seeded-fraction.ts';
import { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../support/bounded.ts';
import { deferred } from '../support/deferred.ts';
import { failureOf } from '../support/failure-of.ts';
import { pieces } from '../support/pieces.ts';

/** What an implementation is opened with. */
export const BLOB_BYTES_MAX = 3 * 1024 * 1024;
export const BLOB_WRITES_MAX = 4;

/** One opened, empty blob store under the given clock. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** Another node's view of the same blobs. */
  readonly other: Blobs;
  /** Changes stored bytes behind the port's back: a flipped bit, a lost end, another blob's bytes in its place. */
  readonly damage: (id: string, change: (bytes: Buffer) => Buffer) => Promise<void>;
  /** Which stretches of stored bytes this node has read since the last call, as [at, bytes]. */
  readonly touched: () => readonly (readonly [number, number])[];
  readonly close: () => Promise<void>;
}

type Clause = (title: string, run: (opened: OpenedBlobs & { readonly clock: HandClock }) => Promise<void>) => void;

const CLAUSE_MS = 20_000;
const START = 1_763_690_000_000;
const HOUR_MS = 3_600_000;

/** Registers the whole suite under `name`; the caller runs it with `test.run()`. */
export function blobsContract(name: string, open: (clock: HandClock) => Promise<OpenedBlobs>): void {
  const it = bounded(test, CLAUSE_MS);
  const clause: Clause = (title, run) =>
    it(`${name}: ${title}`, async () => {
      const clock = new HandClock(START);
      const opened = await open(clock);
      try {
        await run({ ...opened, clock });
      } finally {
        await opened.close();
      }
    });
  writeClauses(clause);
  abortClauses(clause);
  readClauses(clause);
  damageClauses(clause);
  rangeClauses(clause);
  listClauses(clause);
  sweepClauses(clause);
}

async function put(blobs: Blobs, bytes: Uint8Array = pieces.random(1_000)): Promise<OpenBlob> {
  return blobs.put(pieces.of(bytes));
}

function writeClauses(clause: Clause): void {
  clause('what is put is read back, on every node, whatever its length and its pieces', async ({ blobs, other }) => {
    for (const length of [0, 1, 65_536, 262_143, 262_144, 262_145, 524_288, 1_500_001]) {
      const bytes = pieces.random(length, length + 1);
      const cut = length >> 1;
      const source = pieces.of(bytes.subarray(0, cut), new Uint8Array(0), bytes.subarray(cut));
      const blob = await blobs.put(source);
      assert.is(blob.bytes, length);
      assert.ok((await pieces.gather(other.read(blob))).equals(bytes), `${length} bytes differ`);
    }
  });

  clause('a source of single bytes is read back as well', async ({ blobs }) => {
    const bytes = pieces.random(3_000);
    const blob = await blobs.put(pieces.of(...Array.from(bytes, (byte) => Uint8Array.of(byte))));
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes));
  });

  clause('ids are their own file names and never twice the same', async ({ blobs }) => {
    const ids = await Promise.all(Array.from({ length: BLOB_WRITES_MAX }, () => put(blobs).then(({ id }) => id)));
    assert.is(new Set(ids).size, BLOB_WRITES_MAX);
    for (const id of ids) assert.match(id, /^[0-9a-f]{36}$/);
  });

  clause('a source is asked for more only when what it gave was taken', async ({ blobs }) => {
    let asked = 0;
    let written = 0;
    async function* source() {
      for (let piece = 0; piece < 12; piece++) {
        asked++;
        yield new Uint8Array(262_144);
        written = asked;
      }
    }
    let ahead = 0;
    const watched = {
      async *[Symbol.asyncIterator]() {
        for await (const piece of source()) {
          ahead = Math.max(ahead, asked - written);
          yield piece;
        }
      },
    };
    await blobs.put(watched);
    assert.is(asked, 12);
    assert.ok(ahead <= 1, `${ahead} pieces were asked for ahead`);
  });

  clause('one byte more than the bound is refused and nothing of it stays', async ({ blobs, clock }) => {
    const whole = new Uint8Array(BLOB_BYTES_MAX);
    assert.is((await put(blobs, whole)).bytes, BLOB_BYTES_MAX);
    const failure = await failureOf(blobs.put(pieces.of(whole, Uint8Array.of(1))));
    assert.instance(failure, BlobTooLarge);
    assert.is((failure as BlobTooLarge).bytesMax, BLOB_BYTES_MAX);
    assert.is((await blobs.list({ after: null, before: clock.now() + 1, limit: 9 })).length, 1);
    assert.is(await blobs.sweepUnfinished(clock.now() + 1, 9), 0);
  });

  clause('one write more than may be under way is refused as busy, and later ones are taken', async ({ blobs }) => {
    const gate = deferred();
    async function* slow() {
      await gate.promise;
      yield Uint8Array.of(1);
    }
    const under = Array.from({ length: BLOB_WRITES_MAX }, () => blobs.put(slow()));
    const failure = await failureOf(put(blobs));
    assert.instance(failure, BlobsRefused);
    assert.is((failure as BlobsRefused).reason, 'busy');
    gate.resolve();
    await Promise.all(under);
    await put(blobs);
  });
}

function abortClauses(clause: Clause): void {
  clause('a source that fails leaves nothing visible and nothing to sweep', async ({ blobs, other, clock }) => {
    for (const after of [0, 1, 5]) {
      async function* failing() {
        for (let piece = 0; piece < after; piece++) yield new Uint8Array(262_144);
        throw new Error('the caller went away');
      }
      assert.is((await failureOf(blobs.put(failing()))).message, 'the caller went away');
    }
    assert.equal(await other.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
    assert.is(await blobs.sweepUnfinished(clock.now() + 1, 9), 0);
  });

  clause(
    'a blob under way is not to be seen, and is swept when nobody finishes it',
    async ({ blobs, other, clock }) => {
      const stuck = deferred();
      const taken = deferred();
      async function* source() {
        yield new Uint8Array(600_000);
        taken.resolve();
        await stuck.promise;
        yield new Uint8Array(1);
      }
      const writing = blobs.put(source());
      writing.catch(() => {});
      await taken.promise;
      assert.equal(await other.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
      assert.is(await other.sweepUnfinished(clock.now(), 9), 0, 'it began at that time and not before');
      assert.is(await other.sweepUnfinished(clock.now() + 1, 9), 1);
      assert.is(await other.sweepUnfinished(clock.now() + 1, 9), 0);
      stuck.resolve();
      assert.instance(await failureOf(writing), BlobsRefused, 'whoever was swept must not be told that it is stored');
      assert.equal(await blobs.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
    },
  );
}

function readClauses(clause: Clause): void {
  clause('a blob that is not there is missing, whatever its name', async ({ blobs }) => {
    const blob = await put(blobs);
    assert.is(await blobs.remove(blob.id), true);
    assert.is(await blobs.remove(blob.id), false);
    for (const id of [blob.id, '', '../../etc/passwd', `${blob.id}/..`, blob.id.toUpperCase(), 'g'.repeat(36)]) {
      assert.instance(await failureOf(pieces.gather(blobs.read({ ...blob, id }))), BlobMissing, id);
      assert.is(await blobs.remove(id), false);
    }
  });

  clause('a reader may stop early, and others go on', async ({ blobs, other }) => {
    const bytes = pieces.random(1_000_000);
    const blob = await put(blobs, bytes);
    for (let reader = 0; reader < 30; reader++) {
      for await (const piece of blobs.read(blob)) {
        assert.ok(piece.length > 0);
        break;
      }
    }
    const both = await Promise.all([blobs, other].map((each) => pieces.gather(each.read(blob))));
    for (const read of both) assert.ok(read.equals(bytes));
  });

  clause('pieces are their reader to keep', async ({ blobs }) => {
    const bytes = pieces.random(1_000_000);
    const blob = await put(blobs, bytes);
    const kept: Uint8Array[] = [];
    for await (const piece of blobs.read(blob)) kept.push(piece);
    assert.ok(kept.length > 1);
    assert.ok(Buffer.concat(kept).equals(bytes));
  });
}

/** Nine full segments and a tenth of 10,176 bytes: more than two pieces of a store. */
const DAMAGED_BYTES = 9 * segment.plainBytes + 10_176;

/** What is delivered of a blob or range before its reading fails or ends. */
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

function damageClauses(clause: Clause): void {
  clause('stored bytes that are put back as they were are no damage', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    await damage(blob.id, (stored) => Buffer.from(stored));
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes));
  });

  clause('a flipped bit anywhere is found before a byte of its segment leaves', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    const stored = DAMAGED_BYTES + 10 * (segment.storedBytes - segment.plainBytes);
    const edges = [0, 11, 12, segment.storedBytes - 1, segment.storedBytes, 3 * segment.storedBytes + 7, stored - 1];
    const fraction = seededFraction(7);
    const spots = [...edges, ...Array.from({ length: 25 }, () => Math.floor(fraction() * stored))];
    for (const spot of spots) {
      await damage(blob.id, (whole) => flip(whole, spot));
      const bad = Math.floor(spot / segment.storedBytes);
      const { bytes: delivered, failure } = await deliveredOf(blobs.read(blob));
      assert.instance(failure, BlobCorrupt, `byte ${spot}`);
      assert.ok(delivered.equals(bytes.subarray(0, bad * segment.plainBytes)), `byte ${spot}: all before, none of it`);
      for (const range of [{ from: bad * segment.plainBytes, to: DAMAGED_BYTES }, middleOf(bad)]) {
        const part = await deliveredOf(blobs.read(blob, range));
        assert.instance(part.failure, BlobCorrupt, `byte ${spot} in a range`);
        assert.is(part.bytes.length, 0);
      }
      await damage(blob.id, (whole) => flip(whole, spot));
    }
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes), 'every flip was undone');
  });

  clause('a range that touches no damaged segment is delivered whole', async ({ blobs, damage }) => {
    const bytes = pieces.random(DAMAGED_BYTES);
    const blob = await put(blobs, bytes);
    await damage(blob.id, (whole) => flip(flip(whole, 0), 5 * segment.storedBytes));
    const range = { from: segment.plainBytes, to: 5 * segment.plainBytes };
    assert.ok((await pieces.gather(blobs.read(blob, range))).equals(bytes.subarray(range.from, range.to)));
  });

  clause('a blob that was cut or extended delivers nothing', async ({ blobs, damage }) => {
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

  clause('segments that were swapped, doubled or moved are found where they are', async ({ blobs, damage }) => {
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

  clause('a cut that a changed length hides shows at the end that is none', async ({ blobs, damage }) => {
    const blob = await put(blobs, pieces.random(3 * segment.plainBytes));
    await damage(blob.id, (stored) => stored.subarray(0, 2 * segment.storedBytes));
    const shorter = { ...blob, bytes: 2 * segment.plainBytes };
    assert.ok((await pieces.gather(blobs.read(shorter, { from: 0, to: 1 }))).length === 1, 'the length fits');
    assert.instance((await deliveredOf(blobs.read(shorter))).failure, BlobCorrupt);
  });

  clause('another blob of the same length in its place, or one segment of it, is damage', async ({ blobs, damage }) => {
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
    assert.ok((await pieces.gather(blobs.read(two))).equals(bytes[1]), 'the other blob is whole');
  });
}

/** A few bytes in the middle of one segment. */
function middleOf(position: number): { from: number; to: number } {
  const from = position * segment.plainBytes + 5_000;
  return { from, to: from + 9 };
}

function rangeClauses(clause: Clause): void {
  clause('every range is the bytes from its first up to and without its end', async ({ blobs, other }) => {
    const fraction = seededFraction(11);
    const upTo = (max: number): number => Math.floor(fraction() * (max + 1));
    const { plainBytes } = segment;
    for (const length of [0, 1, plainBytes - 1, plainBytes, plainBytes + 1, 4 * plainBytes, 5 * plainBytes + 3_001]) {
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

  clause('a range that does not lie within the blob is refused at the call, with the total', async ({ blobs }) => {
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

  clause('a range of a blob that is not there is missing, an empty one as well', async ({ blobs }) => {
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

  clause('a range reads the segments that hold it and none beside them', async ({ blobs, touched }) => {
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

  clause('a long range is read bit by bit as it is taken', async ({ blobs, touched }) => {
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

function listClauses(clause: Clause): void {
  clause('blobs are listed from the oldest on, page by page', async ({ blobs, other, clock }) => {
    const ids: string[] = [];
    for (let hour = 0; hour < 7; hour++) {
      ids.push((await put(blobs)).id);
      await clock.advance(HOUR_MS);
    }
    const seen: string[] = [];
    for (let after: string | null = null, page = 0; page < 4; page++) {
      const found = await other.list({ after, before: clock.now(), limit: 3 });
      seen.push(...found);
      after = found.at(-1) ?? after;
    }
    assert.equal(seen, ids);
    const young = await other.list({ after: null, before: START + 3 * HOUR_MS, limit: 9 });
    assert.equal(young, ids.slice(0, 3), 'a blob begun at that time is not listed');
  });

  clause('a page outside 1 to 1000 is a mistake of the caller', async ({ blobs }) => {
    for (const limit of [0, 1_001, 1.5, -1]) {
      assert.instance(await failureOf(blobs.list({ after: null, before: 1, limit })), RangeError);
    }
  });
}

function sweepClauses(clause: Clause): void {
  clause('a sweep of unfinished writes leaves every finished blob', async ({ blobs, clock }) => {
    const blob = await put(blobs);
    await clock.advance(99 * HOUR_MS);
    assert.is(await blobs.sweepUnfinished(clock.now(), 9), 0);
    assert.is((await pieces.gather(blobs.read(blob))).length, 1_000);
  });

  clause('a place that was emptied takes new blobs', async ({ blobs, other }) => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = await Promise.all([put(blobs), put(other)]);
      assert.equal(await Promise.all([other.remove(one.id), blobs.remove(two.id)]), [true, true]);
    }
    const blob = await put(blobs);
    assert.is((await pieces.gather(other.read(blob))).length, 1_000);
  });
}

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}
