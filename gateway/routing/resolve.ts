import type { Preferences } from '../terms/turn.ts';
import type { EndpointIndex, IndexedEndpoint } from './endpoint-index.ts';

/** Which endpoints a requested model id means, and what its suffix asks for. */
export interface Resolved {
  readonly endpoints: readonly IndexedEndpoint[];
  readonly sort?: NonNullable<Preferences['sort']>;
  readonly freeOnly?: true;
}

const SUFFIXES: Readonly<Record<string, Omit<Resolved, 'endpoints'>>> = {
  free: { freeOnly: true },
  nitro: { sort: 'throughput' },
  floor: { sort: 'price' },
  exacto: { sort: 'exacto' },
};

/**
 * A catalogue id first, then `provider/author/slug` and `provider/slug`, which mean that provider alone; then the same
 * of the id without its suffix. Null when the catalogue knows none of these. (spec: inference, `model`)
 */
export function resolve(listing: EndpointIndex, requested: string): Resolved | null {
  const exact = find(listing, requested);
  if (exact) return { endpoints: exact };
  const colon = requested.lastIndexOf(':');
  const suffix = colon < 0 ? '' : requested.slice(colon + 1);
  if (!Object.hasOwn(SUFFIXES, suffix)) return null;
  const endpoints = find(listing, requested.slice(0, colon));
  return endpoints ? { endpoints, ...SUFFIXES[suffix] } : null;
}

function find({ models, atProviders }: EndpointIndex, id: string): readonly IndexedEndpoint[] | undefined {
  return models.get(id) ?? atProviders().get(id);
}
