import {
  BlobCorrupt,
  BlobMissing,
  type ByteAccess,
  type ByteRange,
  KeyDestroyed,
  openBlob,
  openValue,
  type Place,
  SealBroken,
  type SealedBlob,
} from '../../../actors/runtime/index.ts';

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
    if (thrown instanceof KeyDestroyed || thrown instanceof SealBroken) return null;
    if (thrown instanceof BlobMissing || thrown instanceof BlobCorrupt) return null;
    throw thrown;
  }
}
