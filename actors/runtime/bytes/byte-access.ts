import type { Blobs } from '../ports/blobs.ts';
import type { KeyStore } from '../ports/key-store.ts';

/**
 * What a node hands to gateway code and activity handlers for large bytes and sealed values: write, read, and the keys to
 * seal and open. Removal is left to the sweep, which alone sees every reference.
 */
export interface ByteAccess {
  readonly blobs: Pick<Blobs, 'put' | 'read'>;
  /** Where no key database is configured every call for a key is refused as unreachable. */
  readonly keys: Pick<KeyStore, 'current' | 'key'>;
}
