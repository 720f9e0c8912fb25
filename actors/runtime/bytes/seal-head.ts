/**
 * The head of every sealed value: version, hour, and the value's own secret wrapped by the key of that hour. The secret
 * is random, serves one value, and is wiped after use.
 */
import type { KeyStore, SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { aead } from './aead.ts';
import { boundTo } from './bound-to.ts';
import type { Place } from './place.ts';
import { SealBroken } from './seal-broken.ts';

/** The first byte. Another layout takes another number. */
const VERSIONS = { value: 1, stream: 2 } as const;
const HOUR_AT = 1;
const WRAPPED_AT = 5;
const SECRET_BYTES = 32;
/** Far beyond every clock, and still a date that can be written. */
const HOUR_MAX = 70_000_000;
const HEAD_BYTES = WRAPPED_AT + SECRET_BYTES + aead.addedBytes;

export type SealForm = keyof typeof VERSIONS;

export const sealHead = { bytes: HEAD_BYTES, close, open };

/** The caller wipes `secret` when the value is sealed. */
function close(form: SealForm, key: SealingKey, place: Place, random: Random): { head: Buffer; secret: Uint8Array } {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSIONS[form], 0);
  head.writeUInt32BE(key.hour, HOUR_AT);
  const secret = random.bytes(SECRET_BYTES);
  aead.close(key.secret, secret, boundTo(`${form} secret`, place, key.hour), random).copy(head, WRAPPED_AT);
  return { head, secret };
}

/** The value's secret, for the caller to wipe. Rejects with SealBroken, KeyDestroyed or KeyStoreUnreachable. */
async function open(form: SealForm, keys: KeyStore, place: Place, sealed: Uint8Array): Promise<Uint8Array> {
  if (sealed.length < HEAD_BYTES) throw new SealBroken('it is cut short');
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, HEAD_BYTES);
  if (head.readUInt8(0) !== VERSIONS[form])
    throw new SealBroken(`version ${head.readUInt8(0)} is no ${form} known here`);
  const hour = head.readUInt32BE(HOUR_AT);
  if (hour > HOUR_MAX) throw new SealBroken(`there is no hour ${hour}`);
  const key = await keys.key(hour);
  return aead.open(key.secret, head.subarray(WRAPPED_AT), boundTo(`${form} secret`, place, hour));
}
