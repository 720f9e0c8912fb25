import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';

const cache = new WeakMap<ReadonlyMap<string, Json>, ReadonlySet<string>>();

/**
 * Models with an endpoint whose claim of zero data retention was approved. `offers` is the board's topic `endpoints`;
 * worked out once per state of it. (spec: catalogue, `GET /models/user`, query parameter `zdr`)
 */
export function withoutRetention(offers: ReadonlyMap<string, Json>): ReadonlySet<string> {
  const known = cache.get(offers);
  if (known) return known;
  const models = new Set<string>();
  for (const { compliance, model } of offers.values() as unknown as Iterable<Endpoint>) {
    if (compliance?.zdr === 'approved') models.add(model);
  }
  cache.set(offers, models);
  return models;
}
