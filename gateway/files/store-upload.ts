import type { NewFile } from '../../actors/file/file.machine.ts';
import { storeFile } from '../../actors/file/file.ts';
import type { FilePurpose, FileRecord } from '../../actors/file/file-record.ts';
import { sealBlob } from '../../actors/runtime/index.ts';
import { fileId } from '../../actors/terms/ids.ts';
import { invalid, rejectionOf } from '../terms/gateway-error.ts';
import { byteFailure } from './byte-failure.ts';
import type { FileServices } from './file-services.ts';
import { placeOfFile } from './file-services.ts';
import { MediaTypeReader } from './media-type.ts';

export interface Upload {
  /** Account id. */
  readonly account: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Known once the source has ended, since form fields may follow the file. */
  readonly describe: () => FileDescription;
}

export interface FileDescription {
  readonly filename: string;
  readonly purpose: FilePurpose;
  /** Requested lifetime, ms; null for the longest. */
  readonly lifetimeMs: number | null;
}

/**
 * Stores an upload: its bytes as a sealed blob, its record in one commit with the account's count of stored bytes.
 * Rejects with GatewayError 400 (empty), 403 (the account's storage is full), 413, 503 (key store or blob store), or
 * with what `source` or `describe` throws; nothing is stored then. (rule B48, rule B44)
 */
export async function storeUpload(services: FileServices, upload: Upload): Promise<FileRecord> {
  const { cluster, limits, askMs: withinMs } = services;
  const { lifetimeMs, accountBytesMax } = limits;
  const { file, requestedMs } = await sealUpload(services, upload);
  const options = { lifetimeMs: Math.min(lifetimeMs, requestedMs ?? lifetimeMs), accountBytesMax, withinMs };
  try {
    return { ...file, ...(await storeFile(cluster, file, options)) };
  } catch (thrown) {
    throw rejectionOf(thrown, cluster.now()) ?? thrown;
  }
}

async function sealUpload(
  { cluster, bytes, random }: FileServices,
  { account, source, describe }: Upload,
): Promise<{ readonly file: NewFile; readonly requestedMs: number | null }> {
  const id = fileId(random, cluster.now());
  const reader = new MediaTypeReader();
  try {
    // While the key store is out of reach nothing may be stored.
    await bytes.keys.current();
    const blob = await bytes.blobs.put(reader.pass(source));
    const { filename, purpose, lifetimeMs: requestedMs } = describe();
    if (blob.bytes === 0) throw invalid('file must not be empty');
    const mimeType = await reader.type();
    // Asked again: an upload may take minutes, and the file's lifetime counts from its end.
    const sealed = sealBlob(await bytes.keys.current(), placeOfFile(account, id), blob, random);
    return { file: { id, account, filename, bytes: blob.bytes, mimeType, purpose, blob: sealed }, requestedMs };
  } catch (thrown) {
    throw byteFailure(thrown);
  }
}
