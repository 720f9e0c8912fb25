import type { Blobs } from '../ports/blobs.ts';
import type { KeyStore } from '../ports/key-store.ts';

/**
 * The blob and key access of gateway code and activity handlers: write, read, and the keys to seal and open with. A
 * handler removes a blob only on behalf of the actor whose row referred to it, once that row is gone; any other blob is
 * left to the sweep, which sees every reference.
 */
export interface ByteAccess {
  readonly blobs: Pick<Blobs, 'put' | 'read' | 'remove'>;
  /** Without a configured key database every request for a key rejects as unreachable. */
  readonly keys: Pick<KeyStore, 'current' | 'key'>;
}
