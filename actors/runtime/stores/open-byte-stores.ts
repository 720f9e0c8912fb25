/**
 * Opens what a node keeps beside its store: large bytes, and the keys that seal them. With SQLite two folders of the data
 * folder; with PostgreSQL the same database for the blobs, and another one for the keys, where one is configured.
 */
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { openByteFolders } from './directory/open-byte-folders.ts';
import { noKeyStore } from './no-key-store.ts';
import type { PostgresChoice, StoreChoice } from './open-store.ts';

export interface OpenByteStoresOptions {
  readonly choice: StoreChoice;
  readonly data: string;
  readonly blobBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a node opens, sweeps and closes; to gateway code and activity handlers it goes as `ByteAccess`. */
export interface ByteStores {
  readonly blobs: Blobs;
  readonly keys: KeyStore;
}

/** Rejects with one line for the operator. */
export async function openByteStores(options: OpenByteStoresOptions): Promise<ByteStores> {
  const { choice } = options;
  return choice.kind === 'sqlite' ? openByteFolders(options) : openInPostgres(choice, options);
}

async function openInPostgres(choice: PostgresChoice, options: OpenByteStoresOptions): Promise<ByteStores> {
  const { blobBytesMax: bytesMax, clock, random } = options;
  const { url, keysUrl, bounds } = choice;
  const { openPostgresBlobs } = await import('./postgres/open-postgres-blobs.ts');
  const blobs = await openPostgresBlobs({ url, clock, random, bounds, bytesMax });
  if (keysUrl === null) return { blobs, keys: noKeyStore };
  const { openPostgresKeyStore } = await import('./postgres/open-postgres-key-store.ts');
  try {
    return { blobs, keys: await openPostgresKeyStore({ url: keysUrl, clock, random, bounds }) };
  } catch (error) {
    await blobs.close();
    throw error;
  }
}
