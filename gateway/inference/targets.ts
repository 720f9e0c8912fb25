import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { type Target, targetOf } from '../providers/target.ts';

/** How each offered endpoint is reached, with the operator's key for it: worked out once per offer. */
export class Targets {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #known = new WeakMap<EndpointOffer, Target>();

  constructor(keys: ReadonlyMap<string, string>) {
    this.#keys = keys;
  }

  /** Throws `ProviderFailure` for an address or a dialect that is none. */
  of(offer: EndpointOffer): Target {
    const known = this.#known.get(offer);
    if (known) return known;
    const target = targetOf(offer, this.#keys.get(offer.provider.slug) ?? null);
    this.#known.set(offer, target);
    return target;
  }
}
