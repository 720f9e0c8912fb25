import { HolderPlaces } from '../../overload/holder-places.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';

/**
 * Bounds the bodies that are still arriving, per key and per client address. A body that arrived with its head is none
 * of them.
 */
export class OpenUploads {
  readonly #limits: Pick<EdgeLimits, 'uploadsPerKeyMax' | 'uploadsPerAddressMax'>;
  readonly #keys: HolderPlaces;
  readonly #addresses: HolderPlaces;

  constructor(limits: Pick<EdgeLimits, 'uploadsPerKeyMax' | 'uploadsPerAddressMax'>) {
    this.#limits = limits;
    this.#keys = new HolderPlaces(limits.uploadsPerKeyMax);
    this.#addresses = new HolderPlaces(limits.uploadsPerAddressMax);
  }

  /** Returns the function that ends the upload. Throws GatewayError 429 where key or address has too many. */
  open(key: string, address: string): () => void {
    if (!this.#keys.take(key)) throw tooMany('A key', this.#limits.uploadsPerKeyMax);
    if (!this.#addresses.take(address)) {
      this.#keys.leave(key);
      throw tooMany('A client address', this.#limits.uploadsPerAddressMax);
    }
    return () => {
      this.#keys.leave(key);
      this.#addresses.leave(address);
    };
  }
}

function tooMany(who: string, limit: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    message: `${who} uploads at most ${limit} request bodies at once`,
    metadata: { limit },
    headers: { 'retry-after': '1' },
  });
}
