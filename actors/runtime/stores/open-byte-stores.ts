/**
 * Opens a node's blob store and key store. SQLite: two folders in the data folder. PostgreSQL: the store's database for
 * blobs, and a separate database for keys.
 */
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import { type KeyStore, UnfitKeyStore } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { openByteFolders } from './directory/open-byte-folders.ts';
import type { PostgresChoice, StoreChoice } from './open-store.ts';

export interface OpenByteStoresOptions {
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
  const { openPostgresBlobs } = await import('./postgres/open-postgres-blobs.ts');
  const blobs = await openPostgresBlobs({ url, clock, random, bounds, bytesMax });
  const { openPostgresKeyStore } = await import('./postgres/open-postgres-key-store.ts');
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
