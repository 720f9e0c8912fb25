import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { byPrice } from './by-price.ts';
import { entryOf, type ListingEntry } from './listing.ts';
import { type ModelSummary, summaryOf } from './model-summary.ts';

/** One model with its live endpoints. */
export interface CatalogueModel {
  readonly id: string;
  readonly summary: ModelSummary;
  /** The summary as JSON text. */
  readonly entry: ListingEntry;
  /** Cheapest first; the first one supplies the summary. */
  readonly endpoints: readonly Endpoint[];
}

interface Models {
  /** Newest first, then by id. */
  readonly list: readonly CatalogueModel[];
  readonly byId: ReadonlyMap<string, CatalogueModel>;
}

/** The group of a model's endpoints as the board lists them, and the model made of it. */
interface Made {
  readonly group: readonly Endpoint[];
  readonly model: CatalogueModel;
}

const cache = new WeakMap<ReadonlyMap<string, Json>, Models>();
/**
 * The model by each of its endpoints. Endpoints publish new figures every few seconds: only the models of those are
 * made again, and one whose summary stays equal keeps its text.
 */
const made = new WeakMap<Endpoint, Made>();

/** All models, newest first. `topic` is the board's topic `endpoints`. */
export function catalogueModels(topic: ReadonlyMap<string, Json>): readonly CatalogueModel[] {
  return modelsOf(topic).list;
}

/** Null when no endpoint serves it. */
export function catalogueModel(topic: ReadonlyMap<string, Json>, id: string): CatalogueModel | null {
  return modelsOf(topic).byId.get(id) ?? null;
}

/** `data` of `GET /models/:author/:slug`; null when no endpoint serves it. */
export function findModel(topic: ReadonlyMap<string, Json>, id: string): ModelSummary | null {
  return catalogueModel(topic, id)?.summary ?? null;
}

/** The ids of all models. */
export function modelIds(topic: ReadonlyMap<string, Json>): ReadonlyMap<string, unknown> {
  return modelsOf(topic).byId;
}

/** The bare object of `GET /models/<percent-encoded id>`, which SDKs request; null when no endpoint serves it. */
export function findBareModel(topic: ReadonlyMap<string, Json>, id: string): ModelSummary | null {
  const summary = findModel(topic, id);
  return summary && { ...summary, object: 'model', owned_by: summary.author };
}

/** The endpoints of one model, cheapest first. */
export function endpointsOf(topic: ReadonlyMap<string, Json>, model: string): readonly Endpoint[] {
  return catalogueModel(topic, model)?.endpoints ?? [];
}

/** True if the endpoint's claim of zero data retention was approved. (spec: catalogue, query parameter `zdr`) */
export function retainsNothing(endpoint: Endpoint): boolean {
  return endpoint.compliance?.zdr === 'approved';
}

/** Computed once per state of the board. */
function modelsOf(topic: ReadonlyMap<string, Json>): Models {
  const known = cache.get(topic);
  if (known) return known;
  const grouped = new Map<string, Endpoint[]>();
  for (const endpoint of topic.values() as unknown as Iterable<Endpoint>) {
    const others = grouped.get(endpoint.model);
    if (others) others.push(endpoint);
    else grouped.set(endpoint.model, [endpoint]);
  }
  const list = [...grouped.values()].map(modelOf);
  list.sort((a, b) => b.summary.created - a.summary.created || (a.id < b.id ? -1 : 1));
  const models = { list, byId: new Map(list.map((model) => [model.id, model])) };
  cache.set(topic, models);
  return models;
}

function modelOf(group: readonly Endpoint[]): CatalogueModel {
  const before = group.map((endpoint) => made.get(endpoint)).find((each) => each !== undefined);
  if (before && isSame(before.group, group)) return before.model;
  const endpoints = [...group].sort(byPrice);
  const summary = summaryOf(endpoints);
  const entry = entryOf(summary);
  const isEqual = before?.model.entry.digest === entry.digest;
  const model = isEqual ? { ...before.model, endpoints } : { id: summary.id, summary, entry, endpoints };
  for (const endpoint of group) made.set(endpoint, { group, model });
  return model;
}

function isSame(one: readonly Endpoint[], other: readonly Endpoint[]): boolean {
  return one.length === other.length && one.every((endpoint, nth) => endpoint === other[nth]);
}
