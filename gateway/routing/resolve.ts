import type { Preferences } from '../terms/turn.ts';
import type { Listed, Listing } from './listing.ts';

/** Which endpoints a requested model id means, and what its suffix asks for. */
export interface Resolved {
  readonly endpoints: readonly Listed[];
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
 * A catalogue id first; then the id without its suffix; then `provider/slug` and `provider/author/slug`, which mean
 * that provider alone. Null when the catalogue knows none of these. (spec: inference, `model`)
 */
export function resolve(listing: Listing, requested: string): Resolved | null {
  const exact = find(listing, requested);
  if (exact) return { endpoints: exact };
  const colon = requested.lastIndexOf(':');
  const suffix = colon < 0 ? '' : requested.slice(colon + 1);
  if (!Object.hasOwn(SUFFIXES, suffix)) return null;
  const endpoints = find(listing, requested.slice(0, colon));
  return endpoints ? { endpoints, ...SUFFIXES[suffix] } : null;
}

function find(listing: Listing, id: string): readonly Listed[] | null {
  return listing.get(id) ?? atProvider(listing, id);
}

function atProvider(listing: Listing, id: string): readonly Listed[] | null {
  const slash = id.indexOf('/');
  if (slash < 0) return null;
  const provider = id.slice(0, slash);
  const rest = id.slice(slash + 1);
  const models = rest.includes('/') ? [listing.get(rest) ?? []] : bySlug(listing, rest);
  const endpoints = models.flat().filter(({ offer }) => offer.provider.slug === provider);
  return endpoints.length === 0 ? null : endpoints;
}

function bySlug(listing: Listing, slug: string): (readonly Listed[])[] {
  const found: (readonly Listed[])[] = [];
  for (const [id, endpoints] of listing) if (id.slice(id.indexOf('/') + 1) === slug) found.push(endpoints);
  return found;
}
