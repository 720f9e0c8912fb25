/**
 * Opens a node's blob store and key store. SQLite: two folders in the data folder. PostgreSQL: the store's database for
 * blobs, and a separate database for keys if one is configured.
 */
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import { type KeyStore, KeyStoreUnreachable } from '../ports/key-store.ts';
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

/** The key store of a cluster without one: every seal and every open rejects, and there is no key to destroy. */
export const noKeyStore: KeyStore = {
  current: refuse,
  key: refuse,
  sweep: async () => ({ destroyed: 0, kept: 0 }),
  close: async () => {},
};

async function refuse(): Promise<never> {
  throw new KeyStoreUnreachable('no database of sealing keys is configured: set store.keysUrl, or its variable');
}
