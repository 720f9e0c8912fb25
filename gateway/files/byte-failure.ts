import { BlobCorrupt, BlobMissing, KeyDestroyed, KeyStoreUnreachable, SealBroken } from '../../actors/runtime/index.ts';
import { GatewayError, unavailable } from '../terms/gateway-error.ts';

/** Clients wait this long before they repeat a request that the key store could not serve. */
const KEY_STORE_RETRY_SECONDS = 5;

/** Converts a failure of the blob or key store into the client's error; returns any other value as it is. */
export function byteFailure(thrown: unknown): unknown {
  if (thrown instanceof KeyStoreUnreachable) return unavailable(thrown.message, KEY_STORE_RETRY_SECONDS);
  if (!(thrown instanceof Error)) return thrown;
  // Matched by name: the errors cross layers, and only the runtime may import its ports.
  switch (thrown.name) {
    case 'BlobsRefused':
      return unavailable(thrown.message);
    case 'BlobTooLarge':
      return new GatewayError({ status: 413, type: 'payload_too_large', message: thrown.message });
    default:
      return thrown;
  }
}

/** True if sealed bytes cannot be opened for good: the key of their hour is destroyed, or another one took its place. */
export function isKeyLost(thrown: unknown): boolean {
  return thrown instanceof KeyDestroyed || thrown instanceof SealBroken;
}

/** True if bytes are lost for good: their key is lost, or they are missing or damaged. */
export function isLost(thrown: unknown): boolean {
  return isKeyLost(thrown) || thrown instanceof BlobMissing || thrown instanceof BlobCorrupt;
}
