/**
 * The head of every sealed value or blob: version, hour, and the secret of that one value or blob, wrapped by the key
 * of that hour. A secret is random and its bytes are wiped after use.
 */
import type { SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { aead } from './aead.ts';
import { boundTo } from './bound-to.ts';
import type { ByteAccess } from './byte-access.ts';
import type { Place } from './place.ts';
import { SealBroken } from './seal-broken.ts';

/** The first byte. A new layout takes a new number; 2 was a stream without ranges. */
const VERSIONS = { value: 1, blob: 3 } as const;
const HOUR_AT = 1;
const WRAPPED_AT = 5;
const SECRET_BYTES = 32;
/** Far beyond any real clock, and still a valid date. */
const HOUR_MAX = 70_000_000;
const HEAD_BYTES = WRAPPED_AT + SECRET_BYTES + aead.addedBytes;

/** What the secret is bound to: it opens only with exactly this form, place and list of further words. */
export interface SealScope {
  readonly form: keyof typeof VERSIONS;
  readonly place: Place;
  readonly words: readonly (string | number)[];
}

export const sealHead = { bytes: HEAD_BYTES, secretBytes: SECRET_BYTES, close, open };

function close(scope: SealScope, key: SealingKey, secret: Uint8Array, random: Random): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSIONS[scope.form], 0);
  head.writeUInt32BE(key.hour, HOUR_AT);
  aead.close(key.secret, secret, boundIn(scope, key.hour), random).copy(head, WRAPPED_AT);
  return head;
}

/** Returns the secret, which the caller wipes. Rejects with SealBroken, KeyDestroyed or KeyStoreUnreachable. */
async function open(scope: SealScope, keys: ByteAccess['keys'], sealed: Uint8Array): Promise<Uint8Array> {
  if (sealed.length < HEAD_BYTES) throw new SealBroken('it is truncated');
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, HEAD_BYTES);
  const version = head.readUInt8(0);
  if (version !== VERSIONS[scope.form])
    throw new SealBroken(`version ${version} is not a known version of a ${scope.form}`);
  const hour = head.readUInt32BE(HOUR_AT);
  if (hour > HOUR_MAX) throw new SealBroken(`there is no hour ${hour}`);
  const key = await keys.key(hour);
  return aead.open(key.secret, head.subarray(WRAPPED_AT), boundIn(scope, hour));
}

function boundIn({ form, place, words }: SealScope, hour: number): Buffer {
  return boundTo(`${form} secret`, place, hour, ...words);
}
