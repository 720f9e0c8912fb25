import { KeyStoreUnreachable } from '../../actors/runtime/index.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { unavailable } from '../terms/unavailable.ts';

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
