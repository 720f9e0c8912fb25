import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { endpointsOf, listModels, type ModelSummary, retainsNothing } from '../../catalogue/models.ts';
import { invalid } from '../../terms/invalid.ts';
import { flagOf, textOf, wholeNumber } from './query-values.ts';

export interface FilteredModels {
  readonly data: readonly ModelSummary[];
  /** Filters of the query that are not supported; then `data` is empty. Absent if there are none. */
  readonly unsupported_filters?: readonly string[];
  /**
   * Matches on all pages together, and the link to the next page: strict clients need both to paginate. (conventions
   * 0.3)
   */
  readonly total_count: number;
  readonly links: { readonly next: string | null };
}

type Test = (model: ModelSummary, wanted: string, endpoints: readonly Endpoint[]) => boolean;

/**
 * The supported filters; a model must match all that are given. Where a filter is about what endpoints declare, one
 * endpoint that matches is enough, whichever supplies the summary. Only the names of `supported_parameters` may come
 * from different endpoints. (spec: catalogue, `GET /models` query parameters)
 */
const FILTERS: Readonly<Record<string, Test>> = {
  q: (model, wanted) => `${model.id}\n${String(model.name)}`.toLowerCase().includes(wanted.toLowerCase()),
  supported_parameters: (model, wanted) => holdsAll(model.supported_parameters as readonly string[], wanted),
  input_modalities: (_, wanted, endpoints) => endpoints.some((each) => holdsAll(each.inputModalities, wanted)),
  output_modalities: (_, wanted, endpoints) => endpoints.some((each) => holdsAll(each.outputModalities, wanted)),
  context: (_, wanted, endpoints) => {
    const least = wholeNumber('context', wanted, { least: 0 });
    return endpoints.some(({ contextLength }) => contextLength >= least);
  },
  model_authors: (model, wanted) => listOf(wanted).includes(String(model.author)),
};

/** Filters of the specification that this build does not support: a query with one of them matches no model. */
const UNSUPPORTED: readonly string[] = [
  ...['family', 'min_price', 'max_price', 'min_output_price', 'max_output_price', 'providers', 'region'],
  ...['min_age_days', 'max_age_days', 'min_tool_success_rate', 'max_tool_success_rate', 'category', 'arch'],
  ...['distillable', 'min_intelligence_index', 'max_intelligence_index', 'min_coding_index', 'max_coding_index'],
  ...['min_agentic_index', 'max_agentic_index'],
];

type Order = (a: ModelSummary, b: ModelSummary) => number;
const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ['newest', () => 0],
  ['oldest', (a, b) => a.created - b.created],
  ['price-low-to-high', (a, b) => comparePrices(a, b, 1)],
  ['price-high-to-low', (a, b) => comparePrices(a, b, -1)],
  ['context-high-to-low', (a, b) => Number(b.context_length) - Number(a.context_length)],
]);

const LIMIT_MAX = 10_000;

/** Filters, sorts and paginates the models of the board's topic `endpoints`. Throws 400 for a value out of range. */
export function filterModels(topic: ReadonlyMap<string, Json>, query: URLSearchParams): FilteredModels {
  const order = ORDERS.get(textOf(query, 'sort') ?? 'newest');
  if (!order) throw invalid(`sort must be one of ${[...ORDERS.keys()].join(', ')}`);
  const limit = wholeNumber('limit', textOf(query, 'limit') ?? String(LIMIT_MAX), { least: 1 });
  const offset = wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0 });
  const unsupported = UNSUPPORTED.filter((name) => query.has(name));
  if (unsupported.length > 0)
    return { data: [], unsupported_filters: unsupported, total_count: 0, links: { next: null } };
  const tests = Object.entries(FILTERS).flatMap(([name, test]) => {
    const wanted = textOf(query, name);
    return wanted === null ? [] : [(model: ModelSummary) => test(model, wanted, endpointsOf(topic, model.id))];
  });
  if (flagOf(query, 'zdr')) tests.push(({ id }) => endpointsOf(topic, id).some(retainsNothing));
  const matching = listModels(topic).filter((model) => tests.every((test) => test(model)));
  const next = offset + limit < matching.length ? nextPage(query, offset + limit) : null;
  const data = [...matching].sort(order).slice(offset, offset + limit);
  return { data, total_count: matching.length, links: { next } };
}

function nextPage(query: URLSearchParams, offset: number): string {
  const next = new URLSearchParams(query);
  next.set('offset', String(offset));
  return `/api/v1/models?${next}`;
}

function listOf(wanted: string): readonly string[] {
  return wanted.split(',').map((each) => each.trim());
}

function holdsAll(held: readonly string[], wanted: string): boolean {
  return listOf(wanted).every((each) => held.includes(each));
}

/** Compares prompt prices; models without one come last in both directions. */
function comparePrices(a: ModelSummary, b: ModelSummary, direction: 1 | -1): number {
  const [one, other] = [promptPrice(a), promptPrice(b)];
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  return compare(one, other) * direction;
}

function promptPrice(model: ModelSummary): string | null {
  const { prompt } = model.pricing as { readonly prompt?: string };
  return prompt ?? null;
}
