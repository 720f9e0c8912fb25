import type { Endpoint } from '../../../actors/terms/endpoint.ts';

const cache = new WeakMap<Endpoint, ReadonlySet<string>>();

/**
 * The parameters that an endpoint declares and no current verification refutes. Computed once per endpoint object.
 * (rule I110, rule I111)
 */
export function declarations(endpoint: Endpoint): ReadonlySet<string> {
  const known = cache.get(endpoint);
  if (known) return known;
  const { withheld } = endpoint.evidence;
  const declared = new Set(endpoint.supportedParameters.filter((parameter) => !withheld.includes(parameter)));
  cache.set(endpoint, declared);
  return declared;
}
