import type { Preferences } from '../../terms/turn.ts';
import type { EndpointIndex, IndexedEndpoint } from './endpoint-index.ts';

/** The endpoints that a requested model id denotes, and the settings of its suffix. */
export interface Resolved {
  readonly endpoints: readonly IndexedEndpoint[];
  readonly sort?: NonNullable<Preferences['sort']>;
  readonly freeOnly?: true;
}

/** The suffixes of a model id, and what each changes. */
export const SUFFIXES: Readonly<Record<string, Omit<Resolved, 'endpoints'>>> = {
  free: { freeOnly: true },
  nitro: { sort: 'throughput' },
  floor: { sort: 'price' },
  exacto: { sort: 'exacto' },
};

/**
 * Resolves a catalogue id first, then `provider/author/slug` and `provider/slug`, which denote that provider alone;
 * then the id without its suffix in the same way. Null when the catalogue has none of these. (rule I8, rule I9)
 */
export function resolve(index: EndpointIndex, requested: string): Resolved | null {
  const exact = find(index, requested);
  if (exact) return { endpoints: exact };
  const colon = requested.lastIndexOf(':');
  const suffix = colon < 0 ? '' : requested.slice(colon + 1);
  if (!Object.hasOwn(SUFFIXES, suffix)) return null;
  const endpoints = find(index, requested.slice(0, colon));
  return endpoints ? { endpoints, ...SUFFIXES[suffix] } : null;
}

function find({ models, atProviders }: EndpointIndex, id: string): readonly IndexedEndpoint[] | undefined {
  return models.get(id) ?? atProviders().get(id);
}
