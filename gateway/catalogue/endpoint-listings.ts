import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointObject } from './endpoints.ts';
import { entryOf, type Listing, type ListingEntry } from './listing.ts';
import { benchmarks, benchmarksNote, capacity } from './measured.ts';
import { catalogueModel, catalogueModels, retainsNothing } from './models.ts';

/** The text of an endpoint, and the capacity in it: all else in it changes only with the endpoint. */
interface Rendered {
  readonly capacity: string;
  readonly entry: ListingEntry;
}

const rendered = new WeakMap<Endpoint, Rendered>();

/** `GET /models/:author/:slug/endpoints`; null for a model without an endpoint. `now`: store time in ms. */
export function modelEndpoints(topic: ReadonlyMap<string, Json>, id: string, now: number): Listing | null {
  const model = catalogueModel(topic, id);
  if (model === null) return null;
  const { name, created, description, architecture, family } = model.summary;
  const head = JSON.stringify({ id, name, created, description, architecture, ...(family ? { family } : {}) });
  const endpoints = bySlug(model.endpoints);
  return {
    before: `{"data":${head.slice(0, -1)},"endpoints":[`,
    entries: endpoints.map((endpoint) => endpointEntry(endpoint, now)),
    after: `],"benchmarks_note":${JSON.stringify(benchmarksNote(endpoints))}}}`,
  };
}

/** `GET /models/:author/:slug/benchmarks`: each score with the endpoint that earned it. */
export function modelBenchmarks(topic: ReadonlyMap<string, Json>, id: string): object | null {
  const model = catalogueModel(topic, id);
  if (model === null) return null;
  const endpoints = bySlug(model.endpoints);
  const data = endpoints.flatMap((endpoint) => {
    const { provider, tag } = endpoint;
    const earner = { provider_name: provider.name, provider_slug: provider.slug, tag };
    return benchmarks(endpoint).map((score) => ({ ...score, ...earner }));
  });
  return { data, benchmarks_note: benchmarksNote(endpoints) };
}

/** `GET /endpoints/zdr`: the endpoints whose claim of zero data retention was approved, models newest first. */
export function zdrEndpoints(topic: ReadonlyMap<string, Json>, now: number): Listing {
  const kept = catalogueModels(topic).flatMap(({ endpoints }) => bySlug(endpoints.filter(retainsNothing)));
  return { before: '{"data":[', entries: kept.map((endpoint) => endpointEntry(endpoint, now)), after: ']}' };
}

function endpointEntry(endpoint: Endpoint, now: number): ListingEntry {
  const reported = JSON.stringify(capacity(endpoint, now));
  const known = rendered.get(endpoint);
  if (known?.capacity === reported) return known.entry;
  const entry = entryOf(endpointObject(endpoint, now));
  rendered.set(endpoint, { capacity: reported, entry });
  return entry;
}

function bySlug(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return [...endpoints].sort((a, b) => {
    if (a.provider.slug === b.provider.slug) return a.id < b.id ? -1 : 1;
    return a.provider.slug < b.provider.slug ? -1 : 1;
  });
}
