import type { FileLimits } from '../../terms/config/config.ts';
import { GatewayError, unavailable } from '../../terms/gateway-error.ts';

/** Bounds the uploads of files that are under way on one node, in all and per account. */
export class UploadRoom {
  readonly #limits: Pick<FileLimits, 'uploadsMax' | 'uploadsPerAccountMax'>;
  readonly #byAccount = new Map<string, number>();
  #uploads = 0;

  constructor(limits: Pick<FileLimits, 'uploadsMax' | 'uploadsPerAccountMax'>) {
    this.#limits = limits;
  }

  /** Returns the function that ends the upload. Throws GatewayError 429 or 503 where there is no room. */
  enter(account: string): () => void {
    const { uploadsMax, uploadsPerAccountMax } = this.#limits;
    const ofAccount = this.#byAccount.get(account) ?? 0;
    if (ofAccount >= uploadsPerAccountMax) throw tooMany(uploadsPerAccountMax);
    if (this.#uploads >= uploadsMax) throw unavailable('too many uploads are under way on this node');
    this.#uploads++;
    this.#byAccount.set(account, ofAccount + 1);
    return () => {
      this.#uploads--;
      const left = (this.#byAccount.get(account) ?? 1) - 1;
      if (left > 0) this.#byAccount.set(account, left);
      else this.#byAccount.delete(account);
    };
  }
}

function tooMany(limit: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    message: `An account uploads at most ${limit} files at once`,
    metadata: { limit },
    headers: { 'retry-after': '1' },
  });
}
