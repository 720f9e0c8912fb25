import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { outboundUrl } from '../outbound/outbound.ts';
import { type ChatTarget, chatHeaders } from '../providers/chat/open.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';

/** How each offered endpoint is reached, with the operator's key for it: worked out once per offer. */
export class Targets {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #known = new WeakMap<EndpointOffer, ChatTarget>();

  constructor(keys: ReadonlyMap<string, string>) {
    this.#keys = keys;
  }

  /** Throws `ProviderFailure` for an address that is none. */
  of(offer: EndpointOffer): ChatTarget {
    const known = this.#known.get(offer);
    if (known) return known;
    const target = this.#make(offer);
    this.#known.set(offer, target);
    return target;
  }

  #make(offer: EndpointOffer): ChatTarget {
    const declares = new Set(offer.supportedParameters);
    try {
      return {
        url: outboundUrl(offer.target.baseUrl, '/chat/completions'),
        upstreamId: offer.target.upstreamId,
        ceilingName: offer.ceilingName,
        headers: chatHeaders(this.#keys.get(offer.provider.slug) ?? null),
        declares: (parameter) => declares.has(parameter),
      };
    } catch {
      throw new ProviderFailure('misconfigured', `endpoint ${offer.id} has no usable address`);
    }
  }
}
