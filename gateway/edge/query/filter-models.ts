import type { Json } from '../../../actors/runtime/index.ts';
import { compare } from '../../../actors/terms/usd.ts';
import type { Listing } from '../../catalogue/listing.ts';
import { type CatalogueModel, catalogueModels } from '../../catalogue/models.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { readModelTests } from './model-tests.ts';
import { textOf, wholeNumber } from './query-values.ts';

/** Filters that are accepted and not computed: a query with one of them matches no model. */
export const UNSUPPORTED: readonly string[] = [
  'category',
  'arch',
  'distillable',
  'min_intelligence_index',
  'max_intelligence_index',
  'min_coding_index',
  'max_coding_index',
  'min_agentic_index',
  'max_agentic_index',
];

type Order = (a: CatalogueModel, b: CatalogueModel) => number;
const ORDERS: ReadonlyMap<string, Order | null> = new Map<string, Order | null>([
  ['newest', null],
  ['oldest', (a, b) => a.summary.created - b.summary.created],
  ['price-low-to-high', (a, b) => comparePrices(a, b, 1)],
  ['price-high-to-low', (a, b) => comparePrices(a, b, -1)],
  ['context-high-to-low', (a, b) => Number(b.summary.context_length) - Number(a.summary.context_length)],
]);

/** The whole list of each state of the catalogue: what most clients ask for is neither gathered nor named again. */
const wholes = new WeakMap<readonly CatalogueModel[], Listing>();

/** `GET /models` without a query. */
function wholeList(topic: ReadonlyMap<string, Json>): Listing {
  const models = catalogueModels(topic);
  const known = wholes.get(models);
  if (known !== undefined) return known;
  const listing = listingOfModels({ models, total: models.length, next: null, unsupported: [] });
  wholes.set(models, listing);
  return listing;
}

/**
 * `GET /models`: filters, sorts and paginates the models of the board's topic `endpoints`. Beside `data`, the answer has
 * the matches on all pages and the link to the next page, which strict clients need to paginate (rule I49), and
 * `unsupported_filters` only where one is named. `now`: store time in ms. Throws 400 for a value out of range.
 */
export function filterModels(topic: ReadonlyMap<string, Json>, query: URLSearchParams, now: number): Listing {
  return query.size === 0 ? wholeList(topic) : listingOfModels(selectModels(topic, query, now));
}

/** Largest page of `GET /embeddings/models`. (rule I109) */
const EMBEDDINGS_LIMIT_MAX = 1_000;

/** `GET /embeddings/models`: the models that answer with vectors; of the query only the page is read. */
export function embeddingsModels(topic: ReadonlyMap<string, Json>, query: URLSearchParams, now: number): Listing {
  const page = new URLSearchParams([...query].filter(([name]) => name === 'limit' || name === 'offset'));
  const limit = textOf(page, 'limit');
  if (limit !== null) wholeNumber('limit', limit, { least: 1, most: EMBEDDINGS_LIMIT_MAX });
  page.set('output_modalities', 'embeddings');
  const selection = selectModels(topic, page, now);
  selection.next?.delete('output_modalities');
  return listingOfModels(selection, '/embeddings/models');
}

function listingOfModels({ models, total, next, unsupported }: ModelSelection, path = '/models'): Listing {
  const after = JSON.stringify({
    ...(unsupported.length === 0 ? {} : { unsupported_filters: unsupported }),
    total_count: total,
    links: { next: next === null ? null : `/api/v1${path}?${next}` },
  });
  return { before: '{"data":[', entries: models.map(({ entry }) => entry), after: `],${after.slice(1)}` };
}

/** The models of one page, and what leads to the next one. */
export interface ModelSelection {
  readonly models: readonly CatalogueModel[];
  /** The matches on all pages. */
  readonly total: number;
  /** The query of the next page; null on the last one. */
  readonly next: URLSearchParams | null;
  /** Named filters that the catalogue does not compute: nothing matches them. */
  readonly unsupported: readonly string[];
}

/** The models that match a query, sorted, one page of them. Throws 400 for a value out of range. */
export function selectModels(topic: ReadonlyMap<string, Json>, query: URLSearchParams, now: number): ModelSelection {
  const order = ORDERS.get(textOf(query, 'sort') ?? 'newest');
  if (order === undefined) throw invalid(`sort must be one of ${[...ORDERS.keys()].join(', ')}`);
  const limit = readLimit(query);
  const offset = wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0 });
  const tests = readModelTests(query, now);
  const unsupported = UNSUPPORTED.filter((name) => query.has(name));
  if (unsupported.length > 0) return { models: [], total: 0, next: null, unsupported };
  const all = catalogueModels(topic);
  const matching = tests.length === 0 ? all : all.filter((model) => tests.every((test) => test(model)));
  const next = offset + limit < matching.length ? nextPage(query, offset + limit) : null;
  const sorted = order === null ? matching : [...matching].sort(order);
  return { models: sorted.slice(offset, offset + limit), total: matching.length, next, unsupported };
}

/** Without a limit the whole list is answered. */
function readLimit(query: URLSearchParams): number {
  const text = textOf(query, 'limit');
  return text === null ? Number.POSITIVE_INFINITY : wholeNumber('limit', text, { least: 1 });
}

function nextPage(query: URLSearchParams, offset: number): URLSearchParams {
  const next = new URLSearchParams(query);
  next.set('offset', String(offset));
  return next;
}

/** Compares the prompt prices of summaries; models without one come last in both directions. */
function comparePrices(a: CatalogueModel, b: CatalogueModel, direction: 1 | -1): number {
  const [one, other] = [a.endpoints[0]?.tariff.prompt, b.endpoints[0]?.tariff.prompt];
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1;
  return compare(one, other) * direction;
}
