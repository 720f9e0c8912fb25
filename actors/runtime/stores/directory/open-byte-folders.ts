import { join } from 'node:path';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Random } from '../../ports/random.ts';
import { openBlobDirectory } from './open-blob-directory.ts';
import { openKeyDirectory } from './open-key-directory.ts';

export interface ByteFoldersOptions {
  /** The data folder: blobs are in `blobs`, sealing keys in `keys`, which must not be backed up. */
  readonly data: string;
  readonly blobBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the byte stores of the SQLite variant. Rejects with a one-line message for the operator. */
export async function openByteFolders(
  options: ByteFoldersOptions,
): Promise<{ readonly blobs: Blobs; readonly keys: KeyStore }> {
  const { data, blobBytesMax, clock, random } = options;
  return {
    blobs: await openBlobDirectory({ path: join(data, 'blobs'), bytesMax: blobBytesMax, clock, random }),
    keys: await openKeyDirectory({ path: join(data, 'keys'), clock, random }),
  };
}
