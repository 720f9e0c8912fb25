import type { EndpointOffer } from '../../actors/terms/offer.ts';

const cache = new WeakMap<EndpointOffer, ReadonlySet<string>>();

/**
 * What an endpoint declares and no standing verification refutes: what may be asked of it. Worked out once per offer.
 * (spec: inference, Routing rules 2)
 */
export function declarations(offer: EndpointOffer): ReadonlySet<string> {
  const known = cache.get(offer);
  if (known) return known;
  const { withheld } = offer.evidence;
  const declared = new Set(offer.supportedParameters.filter((parameter) => !withheld.includes(parameter)));
  cache.set(offer, declared);
  return declared;
}
