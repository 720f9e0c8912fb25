import { createSecretKey } from 'node:crypto';
import type { OpenBlob } from '../ports/blobs.ts';
import type { ByteAccess } from './byte-access.ts';
import type { Place } from './place.ts';
import type { SealedBlob } from './seal-blob.ts';
import { SealBroken } from './seal-broken.ts';
import { sealHead } from './seal-head.ts';

/**
 * Opens a blob that `sealBlob` sealed for this place, without reading any of its bytes. Rejects with SealBroken,
 * KeyDestroyed or KeyStoreUnreachable.
 */
export async function openBlob(
  keys: ByteAccess['keys'],
  place: Place,
  { id, bytes, head }: SealedBlob,
): Promise<OpenBlob> {
  if (typeof head !== 'string')
    throw new SealBroken('its reference has no head (written before blobs were readable by range)');
  const scope = { form: 'blob', place, words: [id, bytes] } as const;
  const secret = await sealHead.open(scope, keys, Buffer.from(head, 'base64'));
  try {
    return { id, bytes, secret: createSecretKey(secret) };
  } finally {
    secret.fill(0);
  }
}
