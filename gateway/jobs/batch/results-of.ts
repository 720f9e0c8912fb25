import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import type { FileServices } from '../../files/file-services.ts';
import { findStored, readFile } from '../../files/read-file.ts';
import { GatewayError } from '../../terms/gateway-error.ts';

/**
 * The result lines of an ended batch, as stored; null while it runs, and once the file expired or was deleted. Rejects
 * with GatewayError 503 while the key store is out of reach. (spec: inference, Batch, `results`)
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
