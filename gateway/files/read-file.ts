import { findFile } from '../../actors/file/file.ts';
import type { FileRecord } from '../../actors/file/file-record.ts';
import { type ByteRange, openBlob } from '../../actors/runtime/index.ts';
import { isFileId } from '../../actors/terms/ids.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/gateway-error.ts';
import { byteFailure, isKeyLost } from './byte-failure.ts';
import type { FileServices } from './file-services.ts';
import { placeOfFile } from './file-services.ts';

/** The one answer for unknown, malformed, deleted and expired ids and for ids of other accounts. (rule B36) */
export function noSuchFile(): GatewayError {
  return notFound('No such file');
}

/** The record of a file that the account can read. Rejects with GatewayError 404. */
export async function requireFile(
  { cluster }: Pick<FileServices, 'cluster'>,
  account: string,
  id: string,
): Promise<FileRecord> {
  const file = await findStored({ cluster }, account, id);
  if (file === null) throw noSuchFile();
  return file;
}

/** As `requireFile`, but null where there is none. */
export async function findStored(
  { cluster }: Pick<FileServices, 'cluster'>,
  account: string,
  id: string,
): Promise<FileRecord | null> {
  return isFileId(id) ? findFile(cluster, account, id) : null;
}

/**
 * The bytes of a file, whole or a range within it, in pieces of at most 64 KiB. Rejects with GatewayError 404 if the
 * file ended meanwhile or its key is lost, and 503 if its key is out of reach; the iteration throws if the bytes are removed or damaged.
 */
export async function readFile(
  { bytes }: Pick<FileServices, 'bytes'>,
  file: FileRecord,
  range?: ByteRange,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    const blob = await openBlob(bytes.keys, placeOfFile(file.account, file.id), file.blob);
    return bytes.blobs.read(blob, range);
  } catch (thrown) {
    if (isKeyLost(thrown)) throw noSuchFile();
    throw byteFailure(thrown);
  }
}
