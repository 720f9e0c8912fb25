import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { compare, multiply, parseUsd } from '../../../actors/terms/usd.ts';
import { toolCallSuccess } from '../../catalogue/measured.ts';
import { type CatalogueModel, retainsNothing } from '../../catalogue/models.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { flagOf, textOf, wholeNumber } from './query-values.ts';

/** True for a model that matches one filter. */
type ModelTest = (model: CatalogueModel) => boolean;

/** Reads the filter of one parameter. Throws 400 for a value out of range. */
type Reader = (wanted: string, now: number) => ModelTest;

const MILLION = 1_000_000;
const DAY_S = 86_400;
const PERCENT = /^\d{1,3}(\.\d{1,12})?$/;

/**
 * Where a filter is about what endpoints declare, one endpoint that matches is enough, whichever supplies the summary.
 * Only the names of `supported_parameters` may come from different endpoints. (rule C14)
 */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['family', (wanted) => (model) => familyOf(model) === wanted],
  ['q', readSearch],
  [
    'supported_parameters',
    (wanted) => {
      const names = listOf(wanted);
      return ({ summary }) => holdsAll(summary.supported_parameters as readonly string[], names);
    },
  ],
  ['input_modalities', someEndpoint((wanted) => (endpoint) => holdsAll(endpoint.inputModalities, wanted))],
  ['output_modalities', someEndpoint((wanted) => (endpoint) => holdsAll(endpoint.outputModalities, wanted))],
  [
    'context',
    (wanted) => {
      const least = wholeNumber('context', wanted, { least: 0 });
      return ({ endpoints }) => endpoints.some(({ contextLength }) => contextLength >= least);
    },
  ],
  [
    'providers',
    someEndpoint(
      (wanted) =>
        ({ provider }) =>
          wanted.includes(provider.slug),
    ),
  ],
  ['region', someEndpoint((wanted) => regionTest(wanted.map((each) => each.toLowerCase())))],
  [
    'model_authors',
    (wanted) => {
      const authors = listOf(wanted);
      return ({ summary }) => authors.includes(String(summary.author));
    },
  ],
  [
    'min_age_days',
    (wanted, now) => {
      const least = wholeNumber('min_age_days', wanted, { least: 0 });
      return (model) => ageDays(model, now) >= least;
    },
  ],
  [
    'max_age_days',
    (wanted, now) => {
      const most = wholeNumber('max_age_days', wanted, { least: 0 });
      return (model) => ageDays(model, now) <= most;
    },
  ],
]);

/** The filters of a query; a model has to match all of them. `now`: store time in ms. */
export function readModelTests(query: URLSearchParams, now: number): readonly ModelTest[] {
  const tests: ModelTest[] = [];
  for (const [name, read] of READERS) {
    const wanted = textOf(query, name);
    if (wanted !== null) tests.push(read(wanted, now));
  }
  if (flagOf(query, 'zdr')) tests.push(({ endpoints }) => endpoints.some(retainsNothing));
  const ranges = [
    rangeTest(query, ['min_price', 'max_price'], PRICE, ({ tariff }) => perMillion(tariff.prompt)),
    rangeTest(query, ['min_output_price', 'max_output_price'], PRICE, ({ tariff }) => perMillion(tariff.completion)),
    rangeTest(query, ['min_tool_success_rate', 'max_tool_success_rate'], RATE, (each) => toolCallSuccess(each).value),
  ];
  return [...tests, ...ranges.filter((test) => test !== null)];
}

/** How the bounds of a range are read from text and compared with a figure of an endpoint. */
interface Scale<T> {
  readonly words: string;
  /** Null: not a value of this scale. */
  readonly read: (text: string) => T | null;
  readonly compare: (a: T, b: T) => number;
}

const PRICE: Scale<string> = { words: 'an exact decimal number such as 0.25', read: parseUsd, compare };
const RATE: Scale<number> = {
  words: 'a number from 0 to 100',
  read: (text) => (PERCENT.test(text) && Number(text) <= 100 ? Number(text) : null),
  compare: (a, b) => a - b,
};

/** One endpoint has to lie inside both bounds; a figure that is unknown lies inside none. Null: no bound is given. */
function rangeTest<T>(
  query: URLSearchParams,
  [least, most]: readonly [string, string],
  scale: Scale<T>,
  figureOf: (endpoint: Endpoint) => T | null,
): ModelTest | null {
  const [min, max] = [boundOf(query, least, scale), boundOf(query, most, scale)];
  if (min === null && max === null) return null;
  return ({ endpoints }) =>
    endpoints.some((endpoint) => {
      const figure = figureOf(endpoint);
      if (figure === null || (min !== null && scale.compare(figure, min) < 0)) return false;
      return max === null || scale.compare(figure, max) <= 0;
    });
}

function boundOf<T>(query: URLSearchParams, name: string, { read, words }: Scale<T>): T | null {
  const text = textOf(query, name);
  if (text === null) return null;
  const bound = read(text);
  if (bound === null) throw invalid(`${name} must be ${words}`);
  return bound;
}

/** A price of a token as USD per million tokens, exact. */
function perMillion(price: string | undefined): string | null {
  return price === undefined ? null : multiply(price, MILLION);
}

function readSearch(wanted: string): ModelTest {
  const part = wanted.toLowerCase();
  return ({ id, summary }) => id.toLowerCase().includes(part) || String(summary.name).toLowerCase().includes(part);
}

function someEndpoint(matches: (wanted: readonly string[]) => (endpoint: Endpoint) => boolean): Reader {
  return (wanted) => {
    const test = matches(listOf(wanted));
    return ({ endpoints }) => endpoints.some(test);
  };
}

/** Country codes and regions of datacenters, in lower case. */
function regionTest(wanted: readonly string[]): (endpoint: Endpoint) => boolean {
  return ({ datacenters }) =>
    datacenters?.some(({ countryCode, region }) =>
      [countryCode, region].some((place) => place !== undefined && wanted.includes(place.toLowerCase())),
    ) ?? false;
}

function familyOf({ summary }: CatalogueModel): string | undefined {
  return (summary.family as { readonly id: string } | undefined)?.id;
}

/** Whole days since the release; negative before it. */
function ageDays({ summary }: CatalogueModel, now: number): number {
  return Math.floor((now / 1_000 - summary.created) / DAY_S);
}

function listOf(wanted: string): readonly string[] {
  return wanted.split(',').map((each) => each.trim());
}

function holdsAll(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((each) => held.includes(each));
}
