import { join } from 'node:path';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Random } from '../../ports/random.ts';
import { openBlobDirectory } from './open-blob-directory.ts';
import { openKeyDirectory } from './open-key-directory.ts';

export interface ByteFoldersOptions {
  /** The data folder: blobs lie in `blobs`, sealing keys in `keys`, which belongs in no backup. */
  readonly data: string;
  readonly blobBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where the embedded size keeps large bytes and the keys that seal them. Rejects with the line for the operator. */
export async function openByteFolders(
  options: ByteFoldersOptions,
): Promise<{ readonly blobs: Blobs; readonly keys: KeyStore }> {
  const { data, blobBytesMax, clock, random } = options;
  return {
    blobs: await openBlobDirectory({ path: join(data, 'blobs'), bytesMax: blobBytesMax, clock, random }),
    keys: await openKeyDirectory({ path: join(data, 'keys'), clock, random }),
  };
}
