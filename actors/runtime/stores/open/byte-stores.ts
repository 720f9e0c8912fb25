/**
 * Opens a node's blob store and key store. SQLite: two folders in the data folder. PostgreSQL: the store's database for
 * blobs, and a separate database for keys.
 */
import { join } from 'node:path';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { type KeyStore, UnfitKeyStore } from '../../ports/key-store.ts';
import { openBlobDirectory } from '../directory/open-blob-directory.ts';
import { openKeyDirectory } from '../directory/open-key-directory.ts';
import type { PostgresChoice, StoreChoice } from '../store-choice.ts';

interface OpenByteStoresOptions {
  readonly choice: StoreChoice;
  readonly data: string;
  readonly blobBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The byte stores as a node opens, sweeps and closes them; gateway code and activity handlers receive them as
 * `ByteAccess`.
 */
export interface ByteStores {
  readonly blobs: Blobs;
  readonly keys: KeyStore;
}

/** Rejects with a one-line message for the operator. */
export async function openByteStores(options: OpenByteStoresOptions): Promise<ByteStores> {
  const { choice } = options;
  return choice.kind === 'sqlite' ? openByteFolders(options) : openInPostgres(choice, options);
}

async function openInPostgres(choice: PostgresChoice, options: OpenByteStoresOptions): Promise<ByteStores> {
  const { blobBytesMax: bytesMax, clock, random } = options;
  const { url, keys, bounds } = choice;
  const { openPostgresBlobs } = await import('../postgres/open-postgres-blobs.ts');
  const blobs = await openPostgresBlobs({ url, clock, random, bounds, bytesMax });
  const { openPostgresKeyStore } = await import('../postgres/open-postgres-key-store.ts');
  try {
    return { blobs, keys: await openPostgresKeyStore({ url: keys.url, clock, random, bounds }) };
  } catch (error) {
    await blobs.close();
    throw keys.unsetVariable === null ? error : withoutKeys(keys.unsetVariable, error);
  }
}

/** Without keys a node could serve no batch, no file and no video, so it does not start. */
function withoutKeys(variable: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new UnfitKeyStore(
    `${variable} is not set, so the keys that seal batches, files and videos belong in a database beside the store's: ` +
      `${why}, or set ${variable} to a database on another server`,
  );
}

interface ByteFoldersOptions {
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
