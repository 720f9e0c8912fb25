/** Sealed values and blobs open only at their own place and only unchanged, whole or by range. */
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SealBroken } from '../../../../actors/runtime/bytes/aead.ts';
import type { SealPlace } from '../../../../actors/runtime/bytes/seal.ts';
import { openBlob, openValue, type SealedBlob, sealBlob, sealValue } from '../../../../actors/runtime/bytes/seal.ts';
import { BlobCorrupt, type ByteRange } from '../../../../actors/runtime/ports/blobs.ts';
import { KeyDestroyed, KeyStoreUnreachable } from '../../../../actors/runtime/ports/key-store.ts';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { pieces } from '../../../support/pieces.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const HOUR_MS = 3_600_000;
const PLACE: SealPlace = { owner: 'account:a', object: 'batch_1/line_7', kind: 'request' };
const ELSEWHERE: readonly SealPlace[] = [
  { ...PLACE, owner: 'account:b' },
  { ...PLACE, object: 'batch_1/line_8' },
  { ...PLACE, kind: 'reply' },
  // The same concatenated text with different boundaries.
  { owner: 'account:abatch_1', object: '/line_7', kind: 'request' },
  { owner: '', object: 'account:abatch_1/line_7request', kind: '' },
];
/** Head of both forms: version, hour, wrapped secret. */
const HEAD_BYTES = 65;
const SEGMENT_BYTES = 65_536;
const BLOB_BYTES_MAX = 64 * 1024 * 1024;

function stage() {
  const clock = new HandClock(HOUR_MS * 490_000);
  const keys = new MemoryKeyStore({ clock, random: systemRandom });
  const blobs = new MemoryBlobs({ clock, random: systemRandom, bytesMax: BLOB_BYTES_MAX });
  const seal = async (plain: AsyncIterable<Uint8Array> | Uint8Array, place = PLACE): Promise<SealedBlob> => {
    const key = await keys.current();
    const source = plain instanceof Uint8Array ? pieces.of(plain) : plain;
    // The JSON form that a row keeps.
    return JSON.parse(JSON.stringify(sealBlob(key, place, await blobs.put(source), systemRandom)));
  };
  const open = async (sealed: SealedBlob, range?: ByteRange, place = PLACE): Promise<Buffer> =>
    pieces.gather(blobs.read(await openBlob(keys, place, sealed), range));
  return { clock, keys, blobs, seal, open };
}

function flip(bytes: Uint8Array, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}

it('a value opens at its place for as long as its key lives', async () => {
  const { clock, keys } = stage();
  for (const length of [0, 1, 100, 70_000]) {
    const plain = pieces.random(length, length + 1);
    const sealed = sealValue(await keys.current(), PLACE, plain, systemRandom);
    assert.is(sealed.length, length + HEAD_BYTES + 28);
    assert.is(sealed[0], 1);
    assert.ok((await openValue(keys, PLACE, sealed)).equals(plain));
  }
  const sealed = sealValue(await keys.current(), PLACE, Buffer.from('words'), systemRandom);
  await clock.advance(50 * HOUR_MS - 1);
  assert.is(String(await openValue(keys, PLACE, sealed)), 'words');
  await clock.advance(1);
  assert.instance(await failureOf(openValue(keys, PLACE, sealed)), KeyDestroyed);
});

it('a value moved to another account, object or kind does not open (rule B48)', async () => {
  const { keys } = stage();
  const key = await keys.current();
  const sealed = sealValue(key, PLACE, Buffer.from('words'), systemRandom);
  for (const place of ELSEWHERE) assert.instance(await failureOf(openValue(keys, place, sealed)), SealBroken);
});

it('a value with any one bit changed does not open (rule B48)', async () => {
  const { keys } = stage();
  const sealed = sealValue(await keys.current(), PLACE, pieces.random(32), systemRandom);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const failure = await failureOf(openValue(keys, PLACE, flip(sealed, bit)));
    // A changed hour names a key that does not exist.
    const inHour = bit >= 8 && bit < 40;
    assert.ok(failure instanceof SealBroken || (inHour && failure instanceof KeyDestroyed), `bit ${bit}: ${failure}`);
  }
});

it('a value truncated at any length, or with bytes added, does not open', async () => {
  const { keys } = stage();
  const sealed = sealValue(await keys.current(), PLACE, pieces.random(32), systemRandom);
  for (let length = 0; length < sealed.length; length++) {
    assert.instance(await failureOf(openValue(keys, PLACE, sealed.subarray(0, length))), SealBroken);
  }
  assert.instance(await failureOf(openValue(keys, PLACE, Buffer.concat([sealed, Buffer.alloc(1)]))), SealBroken);
});

it('halves of two values of one place and hour do not open together', async () => {
  const { keys } = stage();
  const key = await keys.current();
  const [one, two] = [1, 2].map((seed) => sealValue(key, PLACE, pieces.random(32, seed), systemRandom)) as [
    Buffer,
    Buffer,
  ];
  const mixed = Buffer.concat([one.subarray(0, HEAD_BYTES), two.subarray(HEAD_BYTES)]);
  assert.instance(await failureOf(openValue(keys, PLACE, mixed)), SealBroken);
});

it('a value and the head of a blob do not open as each other, and an unknown version opens as neither', async () => {
  const { keys, seal, open } = stage();
  const value = sealValue(await keys.current(), PLACE, pieces.random(32), systemRandom);
  const blob = await seal(pieces.random(32));
  const head = Buffer.from(blob.head, 'base64');
  assert.is(head.length, HEAD_BYTES);
  const as = (version: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.of(version), bytes.subarray(1)]);
  for (const bytes of [head, as(1, head), as(2, value), as(3, value)]) {
    assert.instance(await failureOf(openValue(keys, PLACE, bytes)), SealBroken);
  }
  const valueHead = value.subarray(0, HEAD_BYTES);
  for (const bytes of [valueHead, as(2, valueHead), as(1, head), as(3, head), as(4, head)]) {
    assert.instance(await failureOf(open({ ...blob, head: bytes.toString('base64') })), SealBroken);
  }
});

it('a reference without a head is refused with the reason', async () => {
  const { open } = stage();
  const headless = { id: '0'.repeat(36), bytes: 5 };
  const failure = await failureOf(open(headless as unknown as SealedBlob));
  assert.instance(failure, SealBroken);
  assert.match(failure.message, /its reference has no head/);
});

it('a sealed blob of any length opens whole and by range, for as long as its key lives', async () => {
  const { clock, seal, open } = stage();
  const lengths = [0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 300_000];
  const sealed: [SealedBlob, Uint8Array][] = [];
  for (const length of lengths) {
    const plain = pieces.random(length, length + 1);
    const blob = await seal(plain);
    assert.is(blob.bytes, length, 'the total is known without a read');
    sealed.push([blob, plain]);
  }
  await clock.advance(50 * HOUR_MS - 1);
  for (const [blob, plain] of sealed) {
    assert.ok((await open(blob)).equals(plain));
    const range = { from: plain.length >> 2, to: plain.length - (plain.length >> 3) };
    assert.ok((await open(blob, range)).equals(plain.subarray(range.from, range.to)));
  }
  await clock.advance(1);
  for (const [blob] of sealed) assert.instance(await failureOf(open(blob, { from: 0, to: 0 })), KeyDestroyed);
});

it('a thousand bodies in one sealed blob open one by one, each with reads of its own segments only', async () => {
  const { blobs, seal, open } = stage();
  const bodies = Array.from({ length: 1_000 }, (_, n) => pieces.random(1 + ((n * 7_919) % 9_000), n + 1));
  let offset = 0;
  const ranges = bodies.map(({ length }) => {
    const from = offset;
    offset += length;
    return { from, to: offset };
  });
  const sealed = await seal(pieces.of(...bodies));
  assert.is(sealed.bytes, offset);
  for (const n of [0, 1, 14, 15, 500, 998, 999]) {
    blobs.reads.splice(0);
    const range = ranges[n] as ByteRange;
    assert.ok((await open(sealed, range)).equals(bodies[n] as Uint8Array), `body ${n}`);
    const read = blobs.reads.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.ok(read <= 2 * (SEGMENT_BYTES + 28), `${read} stored bytes were read for one body`);
  }
});

it('a blob of 32 MiB opens with at most a few segments in memory', async () => {
  const { keys, blobs, seal } = stage();
  const piece = pieces.random(256 * 1024);
  async function* source() {
    for (let given = 0; given < 128; given++) yield piece;
  }
  const sealed = await seal(source());
  blobs.reads.splice(0);
  let taken = 0;
  let read = 0;
  let aheadMax = 0;
  for await (const plain of blobs.read(await openBlob(keys, PLACE, sealed))) {
    for (const [, bytes] of blobs.reads.splice(0)) read += bytes;
    taken += plain.length;
    aheadMax = Math.max(aheadMax, read - taken);
  }
  assert.is(taken, 32 * 1024 * 1024);
  assert.ok(aheadMax <= 2 * piece.length, `${aheadMax} bytes were held`);
});

it('a blob moved to another account, object or kind does not open, nor with another id or length', async () => {
  const { blobs, seal, open } = stage();
  const plain = pieces.random(200_000);
  const [one, two] = [await seal(plain), await seal(plain)];
  for (const place of ELSEWHERE) assert.instance(await failureOf(open(one, undefined, place)), SealBroken);
  for (const changed of [
    { ...one, id: two.id },
    { ...one, head: two.head },
    { ...one, bytes: 199_999 },
    { ...one, bytes: 2 * SEGMENT_BYTES },
  ]) {
    assert.instance(await failureOf(open(changed)), SealBroken);
  }
  blobs.replace(one.id, blobs.stored(two.id) as Buffer);
  assert.instance(await failureOf(open(one)), BlobCorrupt, 'the bytes of another blob, sealed at the same place');
});

it('a reference whose head is truncated or has any one bit changed does not open', async () => {
  const { seal, open } = stage();
  const blob = await seal(pieces.random(32));
  const head = Buffer.from(blob.head, 'base64');
  for (let bit = 0; bit < head.length * 8; bit++) {
    const failure = await failureOf(open({ ...blob, head: flip(head, bit).toString('base64') }));
    const inHour = bit >= 8 && bit < 40;
    assert.ok(failure instanceof SealBroken || (inHour && failure instanceof KeyDestroyed), `bit ${bit}: ${failure}`);
  }
  for (let length = 0; length < head.length; length++) {
    const cut = head.subarray(0, length).toString('base64');
    assert.instance(await failureOf(open({ ...blob, head: cut })), SealBroken);
  }
});

it('a thousand blobs with one bit changed somewhere are all refused', async () => {
  const { blobs, seal, open } = stage();
  const sealed = await seal(pieces.random(70_000));
  const stored = Buffer.from(blobs.stored(sealed.id) as Buffer);
  for (let flipped = 0; flipped < 1_000; flipped++) {
    // A step that has no common factor with the length reaches every part of the blob.
    const bit = (flipped * 7_919 + (flipped % 8)) % (stored.length * 8);
    blobs.replace(sealed.id, flip(stored, bit));
    assert.instance(await failureOf(open(sealed)), BlobCorrupt, `bit ${bit}`);
  }
});

it('the stored bytes reveal no plain text, and an open blob reveals no secret as text or JSON', async () => {
  const { keys, blobs, seal } = stage();
  const plain = Buffer.from('the words of a client, '.repeat(9_000));
  const sealed = await seal(plain);
  assert.not.ok((blobs.stored(sealed.id) as Buffer).includes('words of a client'));
  const opened = await openBlob(keys, PLACE, sealed);
  const secret = opened.secret.export();
  const shown = [
    JSON.stringify(opened),
    inspect(opened, { depth: 9, showHidden: true }),
    JSON.stringify(sealed),
  ].join();
  for (const form of ['hex', 'base64', 'latin1'] as const) assert.not.ok(shown.includes(secret.toString(form)));
});

it('nothing opens while the key store is unreachable, and a failed write closes its source', async () => {
  const { keys, blobs, seal, open } = stage();
  const key = await keys.current();
  const value = sealValue(key, PLACE, Buffer.from('words'), systemRandom);
  const sealed = await seal(pieces.random(10));
  let ended = 0;
  async function* source() {
    try {
      for (;;) yield pieces.random(70_000);
    } finally {
      ended++;
    }
  }
  await failureOf(blobs.put(source()));
  assert.is(ended, 1, 'the blob was too large');
  keys.cut = true;
  assert.instance(await failureOf(keys.current()), KeyStoreUnreachable);
  assert.instance(await failureOf(openValue(keys, PLACE, value)), KeyStoreUnreachable);
  assert.instance(await failureOf(open(sealed)), KeyStoreUnreachable);
  assert.instance(await failureOf(open(sealed, { from: 1, to: 2 })), KeyStoreUnreachable);
});

test.run();
