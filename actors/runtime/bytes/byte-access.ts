import type { Blobs } from '../ports/blobs.ts';
import type { KeyStore } from '../ports/key-store.ts';

/**
 * The blob and key access of gateway code and activity handlers: write, read, and the keys to seal and open with. Only
 * the sweep removes blobs, because only the sweep sees every reference.
 */
export interface ByteAccess {
  readonly blobs: Pick<Blobs, 'put' | 'read'>;
  /** Without a configured key database every request for a key rejects as unreachable. */
  readonly keys: Pick<KeyStore, 'current' | 'key'>;
}
