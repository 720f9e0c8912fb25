/** Sealed values and streams: they open at their own place, whole and unchanged, and nowhere and nohow else. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStream } from '../../../../actors/runtime/bytes/open-stream.ts';
import { openValue } from '../../../../actors/runtime/bytes/open-value.ts';
import type { Place } from '../../../../actors/runtime/bytes/place.ts';
import { SealBroken } from '../../../../actors/runtime/bytes/seal-broken.ts';
import { sealStream } from '../../../../actors/runtime/bytes/seal-stream.ts';
import { sealValue } from '../../../../actors/runtime/bytes/seal-value.ts';
import { KeyDestroyed, KeyStoreUnreachable } from '../../../../actors/runtime/ports/key-store.ts';
import { systemRandom } from '../../../../actors/runtime/system/random.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { pieces } from '../../../support/pieces.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test, 60_000);
const HOUR_MS = 3_600_000;
const PLACE: Place = { account: 'account:a', object: 'batch_1/line_7', kind: 'request' };
const ELSEWHERE: readonly Place[] = [
  { ...PLACE, account: 'account:b' },
  { ...PLACE, object: 'batch_1/line_8' },
  { ...PLACE, kind: 'reply' },
  // The same letters, cut elsewhere.
  { account: 'account:abatch_1', object: '/line_7', kind: 'request' },
  { account: '', object: 'account:abatch_1/line_7request', kind: '' },
];
/** Head of both forms: version, hour, wrapped secret. */
const HEAD_BYTES = 65;
const SEGMENT_BYTES = 65_536 + 28;

function stage() {
  const clock = new HandClock(HOUR_MS * 490_000);
  return { clock, keys: new MemoryKeyStore({ clock, random: systemRandom }) };
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

it('a value moved to another account, object or kind does not open', async () => {
  const { keys } = stage();
  const key = await keys.current();
  const sealed = sealValue(key, PLACE, Buffer.from('words'), systemRandom);
  for (const place of ELSEWHERE) assert.instance(await failureOf(openValue(keys, place, sealed)), SealBroken);
});

it('a value with any one bit changed does not open', async () => {
  const { keys } = stage();
  const sealed = sealValue(await keys.current(), PLACE, pieces.random(32), systemRandom);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const failure = await failureOf(openValue(keys, PLACE, flip(sealed, bit)));
    // A changed hour names a key that there is not.
    const inHour = bit >= 8 && bit < 40;
    assert.ok(failure instanceof SealBroken || (inHour && failure instanceof KeyDestroyed), `bit ${bit}: ${failure}`);
  }
});

it('a value cut at any length, or with bytes added, does not open', async () => {
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

it('a value and a stream never open as each other, and an unknown version opens as neither', async () => {
  const { keys } = stage();
  const value = sealValue(await keys.current(), PLACE, pieces.random(32), systemRandom);
  const stream = await pieces.gather(
    sealStream(await keys.current(), PLACE, pieces.of(pieces.random(32)), systemRandom),
  );
  const as = (version: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.of(version), bytes.subarray(1)]);
  for (const bytes of [stream, as(1, stream), as(3, value)]) {
    assert.instance(await failureOf(openValue(keys, PLACE, bytes)), SealBroken);
  }
  for (const bytes of [value, as(2, value), as(3, stream)]) {
    assert.instance(await failureOf(pieces.gather(openStream(keys, PLACE, pieces.of(bytes)))), SealBroken);
  }
});

it('a stream of any length opens, however its bytes are cut on the way', async () => {
  const { keys } = stage();
  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
    const plain = pieces.random(length, length + 1);
    const sealed = await pieces.gather(
      sealStream(await keys.current(), PLACE, pieces.of(plain.subarray(0, 10), plain.subarray(10)), systemRandom),
    );
    for (const size of [1_000, 65_564, sealed.length]) {
      const cut: Uint8Array[] = [];
      for (let at = 0; at < sealed.length; at += size) cut.push(sealed.subarray(at, at + size));
      assert.ok(
        (await pieces.gather(openStream(keys, PLACE, pieces.of(...cut)))).equals(plain),
        `${length} by ${size}`,
      );
    }
  }
});

it('a stream of 32 MiB opens, and no more than a few segments of it are ever held', async () => {
  const { keys } = stage();
  const piece = pieces.random(256 * 1024);
  let given = 0;
  async function* source() {
    for (; given < 128; given++) yield piece;
  }
  let taken = 0;
  let aheadMax = 0;
  for await (const plain of openStream(keys, PLACE, sealStream(await keys.current(), PLACE, source(), systemRandom))) {
    taken += plain.length;
    aheadMax = Math.max(aheadMax, given * piece.length - taken);
  }
  assert.is(taken, 32 * 1024 * 1024);
  assert.ok(aheadMax <= 2 * piece.length, `${aheadMax} bytes were held`);
});

it('a stream that was cut, reordered, doubled or mixed does not open to its end', async () => {
  const { keys } = stage();
  const key = await keys.current();
  const seal = (seed: number) =>
    pieces.gather(sealStream(key, PLACE, pieces.of(pieces.random(200_000, seed)), systemRandom));
  const [one, two] = [await seal(1), await seal(2)];
  const head = one.subarray(0, HEAD_BYTES);
  const segments = (of: Buffer): Buffer[] =>
    [0, 1, 2, 3].map((at) => of.subarray(HEAD_BYTES + at * SEGMENT_BYTES, HEAD_BYTES + (at + 1) * SEGMENT_BYTES));
  const [a, b, c, d] = segments(one) as [Buffer, Buffer, Buffer, Buffer];
  const other = segments(two) as [Buffer, Buffer, Buffer, Buffer];
  const broken: Readonly<Record<string, readonly Buffer[]>> = {
    'cut after each segment': [head, a, b, c],
    'cut to its head': [head],
    'cut inside the head': [head.subarray(0, 20)],
    'cut inside a segment': [head, a, b.subarray(0, 99)],
    'without its first': [head, b, c, d],
    'without one between': [head, a, c, d],
    reordered: [head, b, a, c, d],
    doubled: [head, a, a, b, c, d],
    'its end twice': [head, a, b, c, d, d],
    'bytes behind the end': [head, a, b, c, d, Buffer.alloc(1)],
    'a segment of another stream': [head, a, other[1], c, d],
    'the head of another stream': [two.subarray(0, HEAD_BYTES), a, b, c, d],
  };
  assert.is((await pieces.gather(openStream(keys, PLACE, pieces.of(head, a, b, c, d)))).length, 200_000);
  for (const [how, parts] of Object.entries(broken)) {
    const failure = await failureOf(pieces.gather(openStream(keys, PLACE, pieces.of(...parts))));
    assert.instance(failure, SealBroken, how);
  }
  for (const place of ELSEWHERE) {
    assert.instance(await failureOf(pieces.gather(openStream(keys, place, pieces.of(one)))), SealBroken);
  }
});

it('a thousand streams with one bit changed somewhere are all refused', async () => {
  const { keys } = stage();
  const sealed = await pieces.gather(
    sealStream(await keys.current(), PLACE, pieces.of(pieces.random(70_000)), systemRandom),
  );
  for (let flipped = 0; flipped < 1_000; flipped++) {
    // A step that shares no factor with the length reaches every part of the stream.
    const bit = (flipped * 7_919 + (flipped % 8)) % (sealed.length * 8);
    const failure = await failureOf(pieces.gather(openStream(keys, PLACE, pieces.of(flip(sealed, bit)))));
    assert.ok(failure instanceof SealBroken || failure instanceof KeyDestroyed, `bit ${bit}: ${failure}`);
  }
});

it('out of reach of the keys nothing opens, and a source is let go when its taker stops', async () => {
  const { keys } = stage();
  const key = await keys.current();
  const value = sealValue(key, PLACE, Buffer.from('words'), systemRandom);
  let ended = 0;
  async function* source() {
    try {
      for (;;) yield pieces.random(70_000);
    } finally {
      ended++;
    }
  }
  for await (const piece of sealStream(key, PLACE, source(), systemRandom)) if (piece.length > HEAD_BYTES) break;
  assert.is(ended, 1);
  for await (const _ of openStream(keys, PLACE, sealStream(key, PLACE, source(), systemRandom))) break;
  assert.is(ended, 2);
  keys.cut = true;
  assert.instance(await failureOf(keys.current()), KeyStoreUnreachable);
  assert.instance(await failureOf(openValue(keys, PLACE, value)), KeyStoreUnreachable);
  const opening = openStream(keys, PLACE, sealStream(key, PLACE, source(), systemRandom));
  assert.instance(await failureOf(pieces.gather(opening)), KeyStoreUnreachable);
});

test.run();
