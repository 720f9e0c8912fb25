import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint, Modality } from '../../../../actors/terms/endpoint.ts';
import { filterModels } from '../../../../gateway/edge/query/filter-models.ts';
import { bounded } from '../../../support/bounded.ts';
import { board, boardEndpoint } from '../../../support/model/endpoints.ts';
import { readListing } from '../../catalogue/read-listing.ts';

const it = bounded(test);
const RUNS = Number(process.env.TROUPE_FILTER_RUNS ?? 300);
const NOW = 1_760_000_000_000;
const DAY_S = 86_400;

/** What the oracle knows of one endpoint. */
interface Drawn {
  readonly model: string;
  readonly slug: string;
  readonly prompt: string | undefined;
  readonly completion: string | undefined;
  readonly context: number;
  readonly inputs: readonly Modality[];
  readonly outputs: readonly Modality[];
  readonly parameters: readonly string[];
  readonly withheld: boolean;
  readonly zdr: 'pending' | 'approved' | 'denied' | null;
  readonly places: readonly { readonly countryCode: string; readonly region?: string }[] | null;
  readonly tools: number | null;
  readonly family: string | undefined;
}

const MODELS = ['one/alpha', 'one/beta', 'two/Gamma', 'two/delta', 'three/__proto__'];
const CREATED: Readonly<Record<string, number>> = Object.fromEntries(
  MODELS.map((id, nth) => [id, NOW / 1_000 - Number([0, 3.5, 3.5, 90, -2][nth]) * DAY_S]),
);
const PRICES = ['0', '0.0000005', '0.00000050000000000000000000000001', '0.000002', '1', undefined];
const PLACES = [
  { countryCode: 'DE' },
  { countryCode: 'US', region: 'us-east' },
  { countryCode: 'CH', region: 'zurich' },
];

const drawn: fc.Arbitrary<Drawn> = fc.record({
  model: fc.constantFrom(...MODELS),
  slug: fc.constantFrom('a', 'b', 'c', 'constructor'),
  prompt: fc.constantFrom(...PRICES),
  completion: fc.constantFrom(...PRICES),
  context: fc.constantFrom(4_096, 8_192, 131_072),
  inputs: fc.subarray<Modality>(['image', 'audio', 'file']).map((more): Modality[] => ['text', ...more]),
  outputs: fc.subarray<Modality>(['text', 'image', 'audio'], { minLength: 1 }),
  parameters: fc.subarray(['seed', 'tools', 'top_k']),
  withheld: fc.boolean(),
  zdr: fc.constantFrom('pending', 'approved', 'denied', null),
  places: fc.option(fc.subarray(PLACES)),
  tools: fc.constantFrom(null, 0, 84.9, 85, 100),
  family: fc.constantFrom('fam-a', 'fam-b', undefined),
});

const catalogue = fc.uniqueArray(drawn, { maxLength: 10, selector: ({ model, slug }) => `${model} ${slug}` });

const listed = (...values: readonly string[]): fc.Arbitrary<string> =>
  fc.subarray([...values], { minLength: 1 }).map((some) => some.join(','));
const price = fc.constantFrom('0', '0.5', '0.50000000000000000000000001', '0.51', '2', '1000000', '999999999999');
const FILTERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  family: fc.constantFrom('fam-a', 'fam-b', 'none', '__proto__'),
  q: fc.constantFrom('ONE', 'gamma', 'name of', '%', '_', '__proto__', '', 'one/alpha'),
  supported_parameters: listed('seed', 'tools', 'top_k', '__proto__'),
  input_modalities: listed('text', 'image', 'audio'),
  output_modalities: listed('text', 'image', 'audio'),
  context: fc.constantFrom('0', '8192', '8193', '999999999'),
  min_price: price,
  max_price: price,
  min_output_price: price,
  max_output_price: price,
  providers: listed('a', 'b', 'c', 'constructor', 'nobody'),
  model_authors: listed('one', 'two', 'three', 'toString'),
  zdr: fc.constantFrom('true', 'false'),
  region: listed('de', 'US', 'Zurich', 'us-east', 'eu'),
  min_age_days: fc.constantFrom('0', '3', '4', '90'),
  max_age_days: fc.constantFrom('0', '3', '4', '90'),
  min_tool_success_rate: fc.constantFrom('0', '84.9', '85', '100'),
  max_tool_success_rate: fc.constantFrom('0', '84.9', '85', '100'),
};
const query = fc.record(FILTERS, { requiredKeys: [] }) as fc.Arbitrary<Readonly<Record<string, string>>>;

function endpoint(each: Drawn): Endpoint {
  const { prompt, completion } = each;
  const declared = boardEndpoint(each.slug, 'http://x/v1', {
    id: each.model,
    name: `Name of ${each.model}`,
    created: CREATED[each.model] as number,
    contextLength: each.context,
    supportedParameters: each.parameters,
    pricing: { ...(prompt === undefined ? {} : { prompt }), ...(completion === undefined ? {} : { completion }) },
  });
  return {
    ...declared,
    inputModalities: each.inputs,
    outputModalities: each.outputs,
    compliance: { hipaa: null, zdr: each.zdr },
    datacenters: each.places,
    ...(each.family === undefined ? {} : { family: { id: each.family, name: each.family } }),
    evidence: {
      ...declared.evidence,
      withheld: each.withheld ? ['tools'] : [],
      toolCallSuccess1d: each.tools,
      toolCallSuccess1dSamples: each.tools === null ? 3 : 40,
    },
  };
}

/** Decimal text in units of 1e-60. */
function exact(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(60, '0'));
}

const million = (text: string): bigint => exact(text) * 1_000_000n;
type Wanted = Readonly<Record<string, string>>;

/** True if some endpoint has a known figure inside both bounds. */
function inside<T extends bigint | number>(
  all: readonly Drawn[],
  figure: (one: Drawn) => T | null,
  [min, max]: readonly (T | null)[],
): boolean {
  if (min === null && max === null) return true;
  return all.some((one) => {
    const at = figure(one);
    return at !== null && (min === null || at >= (min as T)) && (max === null || at <= (max as T));
  });
}

/** The order of summaries: cheapest prompt, then completion, then id; unknown last. */
function cheapestFirst(a: Drawn, b: Drawn): number {
  const rank = (text: string | undefined): bigint => (text === undefined ? 10n ** 90n : exact(text));
  const [prompt, completion] = [rank(a.prompt) - rank(b.prompt), rank(a.completion) - rank(b.completion)];
  if (prompt !== 0n) return prompt < 0n ? -1 : 1;
  if (completion !== 0n) return completion < 0n ? -1 : 1;
  return endpoint(a).id < endpoint(b).id ? -1 : 1;
}

/** One model at a time, one rule at a time. (rule C14) */
function matches(id: string, all: readonly Drawn[], wanted: Wanted): boolean {
  const own = all.filter(({ model }) => model === id).sort(cheapestFirst);
  const words = (name: string): string[] => (wanted[name] as string).split(',');
  const bound = <T>(name: string, read: (text: string) => T): T | null =>
    wanted[name] === undefined ? null : read(wanted[name]);
  const text = (name: string, rule: (value: string) => boolean): boolean =>
    wanted[name] === undefined || rule(wanted[name]);
  const offered = own.flatMap((one) => one.parameters.filter((name) => !(one.withheld && name === 'tools')));
  const age = Math.floor((NOW / 1_000 - (CREATED[id] as number)) / DAY_S);
  return (
    text('family', (value) => own.find(({ family }) => family !== undefined)?.family === value) &&
    text('q', (value) => [id, `Name of ${id}`].some((each) => each.toLowerCase().includes(value.toLowerCase()))) &&
    text('supported_parameters', () => words('supported_parameters').every((name) => offered.includes(name))) &&
    text('input_modalities', () =>
      own.some(({ inputs }) => words('input_modalities').every((one) => inputs.includes(one as Modality))),
    ) &&
    text('output_modalities', () =>
      own.some(({ outputs }) => words('output_modalities').every((one) => outputs.includes(one as Modality))),
    ) &&
    text('context', (value) => own.some(({ context }) => context >= Number(value))) &&
    text('providers', () => own.some(({ slug }) => words('providers').includes(slug))) &&
    text('model_authors', () => words('model_authors').includes(id.split('/')[0] as string)) &&
    text('zdr', (value) => value === 'false' || own.some(({ zdr }) => zdr === 'approved')) &&
    text('region', () => {
      const asked = words('region').map((each) => each.toLowerCase());
      const held = own.flatMap(({ places }) => places ?? []);
      return held.some((place) =>
        [place.countryCode, place.region ?? ''].some((at) => asked.includes(at.toLowerCase())),
      );
    }) &&
    text('min_age_days', (value) => age >= Number(value)) &&
    text('max_age_days', (value) => age <= Number(value)) &&
    inside(own, ({ prompt }) => (prompt === undefined ? null : million(prompt)), [
      bound('min_price', exact),
      bound('max_price', exact),
    ]) &&
    inside(own, ({ completion }) => (completion === undefined ? null : million(completion)), [
      bound('min_output_price', exact),
      bound('max_output_price', exact),
    ]) &&
    inside(own, ({ tools }) => tools, [bound('min_tool_success_rate', Number), bound('max_tool_success_rate', Number)])
  );
}

interface Answer {
  readonly data: readonly { readonly id: string }[];
  readonly total_count: number;
  readonly links: { readonly next: string | null };
  readonly unsupported_filters?: readonly string[];
}

function ask(all: readonly Drawn[], wanted: Wanted): Answer {
  return readListing<Answer>(filterModels(board(...all.map(endpoint)), new URLSearchParams(wanted), NOW));
}

const idsOf = ({ data }: Answer): string[] => data.map(({ id }) => id);

function expected(all: readonly Drawn[], wanted: Wanted): string[] {
  const live = [...new Set(all.map(({ model }) => model))].filter((id) => matches(id, all, wanted));
  return live.sort((a, b) => (CREATED[b] as number) - (CREATED[a] as number) || (a < b ? -1 : 1));
}

it('each filter alone keeps what its rule keeps (rule C14)', () => {
  for (const [name, values] of Object.entries(FILTERS)) {
    fc.assert(
      fc.property(catalogue, values, (all, value) => {
        assert.equal(idsOf(ask(all, { [name]: value })), expected(all, { [name]: value }), name);
      }),
      { numRuns: Math.ceil(RUNS / 6) },
    );
  }
});

it('filters combine with AND, and a page is a part of the sorted whole (rule C14)', () => {
  const paged = fc.record({ limit: fc.integer({ min: 1, max: 4 }), offset: fc.integer({ min: 0, max: 5 }) });
  fc.assert(
    fc.property(catalogue, query, paged, (all, wanted, { limit, offset }) => {
      const whole = expected(all, wanted);
      assert.equal(idsOf(ask(all, wanted)), whole);
      const page = ask(all, { ...wanted, limit: `${limit}`, offset: `${offset}` });
      assert.equal(idsOf(page), whole.slice(offset, offset + limit));
      assert.is(page.total_count, whole.length);
      assert.is(page.links.next === null, offset + limit >= whole.length);
    }),
    { numRuns: RUNS },
  );
});

it('every order sorts the same models, unknown prices last in both directions (rule C16)', () => {
  fc.assert(
    fc.property(catalogue, (all) => {
      const newest = expected(all, {});
      const cheapest = (id: string): Drawn => all.filter(({ model }) => model === id).sort(cheapestFirst)[0] as Drawn;
      const key = (id: string, unknown: bigint): bigint => {
        const { prompt } = cheapest(id);
        return prompt === undefined ? unknown : exact(prompt);
      };
      const by = (rank: (a: string, b: string) => bigint): string[] =>
        [...newest].sort((a, b) => Number(rank(a, b) > 0n) - Number(rank(a, b) < 0n));
      const order = (sort: string): string[] => idsOf(ask(all, { sort }));
      const last = 10n ** 90n;
      assert.equal(order('newest'), newest);
      assert.equal(
        order('oldest'),
        by((a, b) => BigInt(Math.sign((CREATED[a] as number) - (CREATED[b] as number)))),
      );
      assert.equal(
        order('price-low-to-high'),
        by((a, b) => key(a, last) - key(b, last)),
      );
      assert.equal(
        order('price-high-to-low'),
        by((a, b) => key(b, -1n) - key(a, -1n)),
      );
      assert.equal(
        order('context-high-to-low'),
        by((a, b) => BigInt(cheapest(b).context - cheapest(a).context)),
      );
    }),
    { numRuns: RUNS },
  );
});

it('a filter that is not computed empties the answer and is named, whatever else is asked (rule C15)', () => {
  const names = ['category', 'arch', 'distillable', 'min_intelligence_index', 'max_agentic_index'];
  fc.assert(
    fc.property(catalogue, query, fc.subarray(names, { minLength: 1 }), (all, wanted, named) => {
      const more = Object.fromEntries(named.map((name) => [name, 'any']));
      const answer = ask(all, { ...wanted, ...more });
      assert.equal([answer.data, answer.total_count, answer.links.next], [[], 0, null]);
      assert.equal(answer.unsupported_filters, named);
      assert.is(ask(all, wanted).unsupported_filters, undefined);
    }),
    { numRuns: 50 },
  );
});

test.run();
