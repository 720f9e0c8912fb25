/**
 * The seals under one key, and the segments of one blob, never reuse a nonce (rule B50). `npm run drift` seals a million
 * times.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sealHead, sealValue } from '../../../../actors/runtime/bytes/seal.ts';
import { segment } from '../../../../actors/runtime/bytes/segment.ts';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { pieces } from '../../../support/pieces.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test, 300_000);
const SEALS = Number(process.env.TROUPE_SEALS ?? 100_000);
const VALUES = SEALS / 20;
const PLACE = { owner: 'account:a', object: 'file_1', kind: 'file' };
/** Offsets of the nonce of the wrapped secret and of the nonce of the value. */
const WRAP_AT = 5;
const VALUE_AT = 65;
/**
 * 64 of the 96 bits: no false alarm is expected below four thousand million nonces, and a BigUint64Array is compact.
 */
const NONCE_BYTES = 8;

function distinct(nonces: BigUint64Array): number {
  nonces.sort();
  let found = 0;
  for (let at = 0; at < nonces.length; at++) if (at === 0 || nonces[at] !== nonces[at - 1]) found++;
  return found;
}

async function currentKey() {
  return new MemoryKeyStore({ clock: new HandClock(), random: systemRandom }).current();
}

it('the seals under the key of one hour share no nonce (rule B50)', async () => {
  const key = await currentKey();
  const scope = { form: 'value', place: PLACE, words: [] } as const;
  const secret = systemRandom.bytes(sealHead.secretBytes);
  const nonces = new BigUint64Array(SEALS);
  for (let seal = 0; seal < SEALS; seal++) {
    const head = sealHead.close(scope, key, secret, systemRandom);
    nonces[seal] = head.subarray(WRAP_AT, WRAP_AT + NONCE_BYTES).readBigUInt64BE();
    if (seal % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(distinct(nonces), SEALS);
  assert.is(distinct(BigUint64Array.of(5n, 7n, 5n)), 2, 'a repeat would have been detected');
});

// A value has a secret of its own, under which nothing else is sealed.
it('whole values of one hour share neither the nonce of their wrapping nor that of their value (rule B50)', async () => {
  const key = await currentKey();
  const plain = Buffer.from('p');
  const nonces = new BigUint64Array(2 * VALUES);
  for (let value = 0; value < VALUES; value++) {
    const sealed = sealValue(key, PLACE, plain, systemRandom);
    nonces[2 * value] = sealed.subarray(WRAP_AT, WRAP_AT + NONCE_BYTES).readBigUInt64BE();
    nonces[2 * value + 1] = sealed.subarray(VALUE_AT, VALUE_AT + NONCE_BYTES).readBigUInt64BE();
  }
  assert.is(distinct(nonces), 2 * VALUES);
});

it('equal segments of one blob, and two blobs of equal bytes, have nothing in common', async () => {
  const blobs = new MemoryBlobs({ clock: new HandClock(), random: systemRandom, bytesMax: 2 ** 25 });
  const equal = Array.from({ length: 256 }, () => new Uint8Array(segment.plainBytes));
  const stored: Buffer[] = [];
  for (let blob = 0; blob < 2; blob++) stored.push(blobs.stored((await blobs.put(pieces.of(...equal))).id) as Buffer);
  const starts = stored.flatMap((bytes) => equal.map((_, n) => bytes.subarray(n * segment.storedBytes)));
  const nonces = BigUint64Array.from(starts, (start) => start.readBigUInt64BE());
  const texts = BigUint64Array.from(starts, (start) => start.readBigUInt64BE(12));
  assert.is(distinct(nonces), 512);
  assert.is(distinct(texts), 512);
});

test.run();
