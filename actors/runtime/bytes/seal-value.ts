import type { SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { aead } from './aead.ts';
import { boundTo } from './bound-to.ts';
import type { Place } from './place.ts';
import { sealHead } from './seal-head.ts';

/** Seals one value held in memory: the head, then the encryption. Get the key before anything is stored. */
export function sealValue(key: SealingKey, place: Place, plain: Uint8Array, random: Random): Buffer {
  const secret = random.bytes(sealHead.secretBytes);
  const head = sealHead.close({ form: 'value', place, words: [] }, key, secret, random);
  const body = aead.close(secret, plain, boundTo('value', place), random);
  secret.fill(0);
  return Buffer.concat([head, body]);
}
