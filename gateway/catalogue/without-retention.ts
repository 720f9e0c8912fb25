import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';

const cache = new WeakMap<ReadonlyMap<string, Json>, ReadonlySet<string>>();

/**
 * Models with an endpoint whose claim of zero data retention was approved. `topic` is the board's topic `endpoints`;
 * the result is cached per state of the board. (spec: catalogue, `GET /models/user`, query parameter `zdr`)
 */
export function withoutRetention(topic: ReadonlyMap<string, Json>): ReadonlySet<string> {
  const known = cache.get(topic);
  if (known) return known;
  const models = new Set<string>();
  for (const { compliance, model } of topic.values() as unknown as Iterable<Endpoint>) {
    if (compliance?.zdr === 'approved') models.add(model);
  }
  cache.set(topic, models);
  return models;
}
