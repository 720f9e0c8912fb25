import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { type Target, targetOf } from '../providers/target.ts';

/** How each offered endpoint is reached, with the operator's key for it: worked out once per offer. */
export class Targets {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #known = new WeakMap<Endpoint, Target>();

  constructor(keys: ReadonlyMap<string, string>) {
    this.#keys = keys;
  }

  /** Throws `ProviderFailure` for an address or a dialect that is none. */
  of(endpoint: Endpoint): Target {
    const known = this.#known.get(endpoint);
    if (known) return known;
    const target = targetOf(endpoint, this.#keys.get(endpoint.provider.slug) ?? null);
    this.#known.set(endpoint, target);
    return target;
  }
}
