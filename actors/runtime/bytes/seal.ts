/**
 * Values and blobs encrypted at rest. Each has a head of its own: version, hour, and a random secret wrapped by the key
 * of that hour, which is wiped after use. Whatever a seal is bound to (form, owner, object, kind) must be the same when
 * it opens; when the key of its hour is destroyed, it never opens again.
 */
import { createSecretKey } from 'node:crypto';
import type { OpenBlob } from '../ports/blobs.ts';
import type { Random } from '../ports/clock.ts';
import type { SealingKey } from '../ports/key-store.ts';
import { aead, SealBroken } from './aead.ts';
import type { ByteAccess } from './byte-access.ts';

/** What a sealed value is bound to: its owner, its object, and its kind within the object. It opens at no other place. */
export interface SealPlace {
  readonly owner: string;
  readonly object: string;
  readonly kind: string;
}

/**
 * A row's reference to a blob: plain JSON of some 160 characters. The row also names `id` in the index column that its
 * collection declares as `blob`.
 */
export type SealedBlob = {
  readonly id: string;
  /** Length of the plain bytes. */
  readonly bytes: number;
  /** The blob's secret, wrapped by the key of an hour and bound to place, id and bytes; base64. */
  readonly head: string;
};

/** The first byte of a head. A new layout takes a new number. */
const VERSIONS = { value: 1, blob: 2 } as const;
const HOUR_AT = 1;
const WRAPPED_AT = 5;
const SECRET_BYTES = 32;
/** Far beyond any real clock, and still a valid date. */
const HOUR_MAX = 70_000_000;
const HEAD_BYTES = WRAPPED_AT + SECRET_BYTES + aead.addedBytes;

/** What the secret is bound to: it opens only with exactly this form, place and list of further words. */
interface SealScope {
  readonly form: keyof typeof VERSIONS;
  readonly place: SealPlace;
  readonly words: readonly (string | number)[];
}

export const sealHead = { bytes: HEAD_BYTES, secretBytes: SECRET_BYTES, close: closeHead, open: openHead };

/** Seals one value held in memory: the head, then the encryption. Get the key before anything is stored. */
export function sealValue(key: SealingKey, place: SealPlace, plain: Uint8Array, random: Random): Buffer {
  const secret = random.bytes(SECRET_BYTES);
  const head = closeHead({ form: 'value', place, words: [] }, key, secret, random);
  const body = aead.close(secret, plain, boundTo('value', place), random);
  secret.fill(0);
  return Buffer.concat([head, body]);
}

/**
 * Opens a value that `sealValue` sealed for this place. Rejects with SealBroken, KeyDestroyed or KeyStoreUnreachable.
 */
export async function openValue(keys: ByteAccess['keys'], place: SealPlace, sealed: Uint8Array): Promise<Buffer> {
  const secret = await openHead({ form: 'value', place, words: [] }, keys, sealed);
  try {
    return aead.open(secret, sealed.subarray(HEAD_BYTES), boundTo('value', place));
  } finally {
    secret.fill(0);
  }
}

/**
 * Seals a written blob for its place. Get the key before the blob is put: while the key store is out of reach nothing
 * may be stored.
 */
export function sealBlob(
  key: SealingKey,
  place: SealPlace,
  { id, bytes, secret }: OpenBlob,
  random: Random,
): SealedBlob {
  const exported = secret.export();
  const head = closeHead({ form: 'blob', place, words: [id, bytes] }, key, exported, random);
  exported.fill(0);
  return { id, bytes, head: head.toString('base64') };
}

/**
 * Opens a blob that `sealBlob` sealed for this place, without reading any of its bytes. Rejects with SealBroken,
 * KeyDestroyed or KeyStoreUnreachable.
 */
export async function openBlob(
  keys: ByteAccess['keys'],
  place: SealPlace,
  { id, bytes, head }: SealedBlob,
): Promise<OpenBlob> {
  if (typeof head !== 'string') throw new SealBroken('its reference has no head');
  const scope = { form: 'blob', place, words: [id, bytes] } as const;
  const secret = await openHead(scope, keys, Buffer.from(head, 'base64'));
  try {
    return { id, bytes, secret: createSecretKey(secret) };
  } finally {
    secret.fill(0);
  }
}

function closeHead(scope: SealScope, key: SealingKey, secret: Uint8Array, random: Random): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSIONS[scope.form], 0);
  head.writeUInt32BE(key.hour, HOUR_AT);
  aead.close(key.secret, secret, boundIn(scope, key.hour), random).copy(head, WRAPPED_AT);
  return head;
}

/** Returns the secret, which the caller wipes. Rejects with SealBroken, KeyDestroyed or KeyStoreUnreachable. */
async function openHead(scope: SealScope, keys: ByteAccess['keys'], sealed: Uint8Array): Promise<Uint8Array> {
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

/**
 * The associated data of one encryption: every word is prefixed with its length, so that different lists of words never
 * produce the same bytes.
 */
function boundTo(purpose: string, { owner, object, kind }: SealPlace, ...more: readonly (string | number)[]): Buffer {
  const parts: Buffer[] = [];
  for (const word of [purpose, owner, object, kind, ...more.map(String)]) {
    const bytes = Buffer.from(word, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}
