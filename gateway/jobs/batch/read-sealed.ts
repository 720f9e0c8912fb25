import {
  type ByteAccess,
  type ByteRange,
  openBlob,
  openValue,
  type Place,
  type SealedBlob,
} from '../../../actors/runtime/index.ts';
import { isLost } from '../../files/lost.ts';

/**
 * Sealed bytes of a batch, whole or a range of a blob, or the base64 text of a sealed value. Null: the key is destroyed
 * or the bytes are damaged, for good. Rejects while the key store or the blob store is out of reach.
 */
export async function readSealed(
  { keys, blobs }: ByteAccess,
  place: Place,
  sealed: SealedBlob | string,
  range?: ByteRange,
): Promise<Buffer | null> {
  try {
    if (typeof sealed === 'string') return await openValue(keys, place, Buffer.from(sealed, 'base64'));
    const pieces: Uint8Array[] = [];
    for await (const piece of blobs.read(await openBlob(keys, place, sealed), range)) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (thrown) {
    if (isLost(thrown)) return null;
    throw thrown;
  }
}
