import { aead } from './aead.ts';
import { boundTo } from './bound-to.ts';
import type { ByteAccess } from './byte-access.ts';
import type { Place } from './place.ts';
import { sealHead } from './seal-head.ts';

/**
 * Opens a value that `sealValue` sealed for this place. Rejects with SealBroken, KeyDestroyed or KeyStoreUnreachable.
 */
export async function openValue(keys: ByteAccess['keys'], place: Place, sealed: Uint8Array): Promise<Buffer> {
  const secret = await sealHead.open({ form: 'value', place, words: [] }, keys, sealed);
  try {
    return aead.open(secret, sealed.subarray(sealHead.bytes), boundTo('value', place));
  } finally {
    secret.fill(0);
  }
}
