import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import {
  type ByteAccess,
  type ByteRange,
  openBlob,
  openValue,
  type SealedBlob,
  type SealPlace,
} from '../../../actors/runtime/index.ts';
import { isLost } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';
import { findStored, readFile } from '../../files/read-file.ts';
import { GatewayError } from '../../terms/gateway-error.ts';

/**
 * Sealed bytes of a batch, whole or a range of a blob, or the base64 text of a sealed value. Null: the key is destroyed
 * or the bytes are damaged, for good. Rejects while the key store or the blob store is out of reach.
 */
export async function readSealed(
  { keys, blobs }: ByteAccess,
  place: SealPlace,
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

/**
 * The result lines of an ended batch, as stored; null while it runs, and once the file expired or was deleted. Rejects
 * with GatewayError 503 while the key store is out of reach. (rule B30)
 */
export async function resultsOf(
  files: FileServices,
  { account, resultsFileId }: BatchRecord,
): Promise<AsyncIterable<Uint8Array> | null> {
  const file = resultsFileId === null ? null : await findStored(files, account, resultsFileId);
  if (file === null) return null;
  try {
    return await readFile(files, file);
  } catch (thrown) {
    // The file ended between the two reads.
    if (thrown instanceof GatewayError && thrown.status === 404) return null;
    throw thrown;
  }
}

/** A reply of a batch opens only as that of this line of this batch of this account. (rule B48) */
export function placeOfReply(account: string, batch: string, index: number): SealPlace {
  return { owner: account, object: `${batch}/${index}`, kind: 'batch-reply' };
}
