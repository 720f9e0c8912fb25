/** Every clause of the Blobs port as tests. One suite, run by each implementation from its own test file. */
import * as assert from 'uvu/assert';
import { BlobMissing, BlobsRefused, BlobTooLarge } from '../../actors/runtime/ports/blobs.ts';
import type { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { deferred } from '../support/deferred.ts';
import { failureOf } from '../support/failure-of.ts';
import { pieces } from '../support/pieces.ts';
import { BLOB_BYTES_MAX, BLOB_WRITES_MAX, type Clause, type OpenedBlobs, put } from './blobs/clause.ts';
import { damageClauses } from './blobs/damage-clauses.ts';
import { rangeClauses } from './blobs/range-clauses.ts';
import { clausesOf } from './clauses.ts';

const START = 1_763_690_000_000;
const HOUR_MS = 3_600_000;

/** Registers the whole suite under `name`; the caller runs it with `test.run()`. */
export function blobsContract(name: string, open: (clock: HandClock) => Promise<OpenedBlobs>): void {
  const clause = clausesOf(name, START, open);
  writeClauses(clause);
  abortClauses(clause);
  readClauses(clause);
  damageClauses(clause);
  rangeClauses(clause);
  listClauses(clause);
  sweepClauses(clause);
}

function writeClauses(clause: Clause): void {
  clause('a stored blob is read back on every node, for any length and any pieces', async ({ blobs, other }) => {
    for (const length of [0, 1, 65_536, 262_143, 262_144, 262_145, 524_288, 1_500_001]) {
      const bytes = pieces.random(length, length + 1);
      const cut = length >> 1;
      const source = pieces.of(bytes.subarray(0, cut), new Uint8Array(0), bytes.subarray(cut));
      const blob = await blobs.put(source);
      assert.is(blob.bytes, length);
      assert.ok((await pieces.gather(other.read(blob))).equals(bytes), `${length} bytes differ`);
    }
  });

  clause('a source of single bytes is read back', async ({ blobs }) => {
    const bytes = pieces.random(3_000);
    const blob = await blobs.put(pieces.of(...Array.from(bytes, (byte) => Uint8Array.of(byte))));
    assert.ok((await pieces.gather(blobs.read(blob))).equals(bytes));
  });

  clause('ids are valid file names and all different', async ({ blobs }) => {
    const ids = await Promise.all(Array.from({ length: BLOB_WRITES_MAX }, () => put(blobs).then(({ id }) => id)));
    assert.is(new Set(ids).size, BLOB_WRITES_MAX);
    for (const id of ids) assert.match(id, /^[0-9a-f]{36}$/);
  });

  clause('a source is read further only when its previous piece was accepted', async ({ blobs }) => {
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

  clause('one byte above the bound is refused and nothing remains', async ({ blobs, clock }) => {
    const whole = new Uint8Array(BLOB_BYTES_MAX);
    assert.is((await put(blobs, whole)).bytes, BLOB_BYTES_MAX);
    const failure = await failureOf(blobs.put(pieces.of(whole, Uint8Array.of(1))));
    assert.instance(failure, BlobTooLarge);
    assert.is((failure as BlobTooLarge).bytesMax, BLOB_BYTES_MAX);
    assert.is((await blobs.list({ after: null, before: clock.now() + 1, limit: 9 })).length, 1);
    assert.is(await blobs.sweepUnfinished(clock.now() + 1, 9), 0);
  });

  clause(
    'a write above the bound of concurrent writes is refused as busy, and later ones are accepted',
    async ({ blobs }) => {
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
    },
  );
}

function abortClauses(clause: Clause): void {
  clause('a failing source leaves nothing visible and nothing to sweep', async ({ blobs, other, clock }) => {
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

  clause('an unfinished blob is invisible and is swept', async ({ blobs, other, clock }) => {
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
    assert.is(await other.sweepUnfinished(clock.now(), 9), 0, 'it began at that time, not before it');
    assert.is(await other.sweepUnfinished(clock.now() + 1, 9), 1);
    assert.is(await other.sweepUnfinished(clock.now() + 1, 9), 0);
    stuck.resolve();
    assert.instance(await failureOf(writing), BlobsRefused, 'a swept write must not be acknowledged');
    assert.equal(await blobs.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
  });
}

function readClauses(clause: Clause): void {
  clause('an unknown blob is missing, whatever its name', async ({ blobs }) => {
    const blob = await put(blobs);
    assert.is(await blobs.remove(blob.id), true);
    assert.is(await blobs.remove(blob.id), false);
    for (const id of [blob.id, '', '../../etc/passwd', `${blob.id}/..`, blob.id.toUpperCase(), 'g'.repeat(36)]) {
      assert.instance(await failureOf(pieces.gather(blobs.read({ ...blob, id }))), BlobMissing, id);
      assert.is(await blobs.remove(id), false);
    }
  });

  clause('a reader can stop early without affecting others', async ({ blobs, other }) => {
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

  clause('delivered pieces belong to their reader', async ({ blobs }) => {
    const bytes = pieces.random(1_000_000);
    const blob = await put(blobs, bytes);
    const kept: Uint8Array[] = [];
    for await (const piece of blobs.read(blob)) kept.push(piece);
    assert.ok(kept.length > 1);
    assert.ok(Buffer.concat(kept).equals(bytes));
  });
}

function listClauses(clause: Clause): void {
  clause('blobs are listed oldest first, page by page', async ({ blobs, other, clock }) => {
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

  clause("a page size outside 1 to 1000 is the caller's error", async ({ blobs }) => {
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

  clause('an emptied store accepts new blobs', async ({ blobs, other }) => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = await Promise.all([put(blobs), put(other)]);
      assert.equal(await Promise.all([other.remove(one.id), blobs.remove(two.id)]), [true, true]);
    }
    const blob = await put(blobs);
    assert.is((await pieces.gather(other.read(blob))).length, 1_000);
  });
}
