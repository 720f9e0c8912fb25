import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { listingDigest, listingText } from '../../../../gateway/catalogue/listing.ts';
import { filterModels } from '../../../../gateway/edge/query/filter-models.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { board, boardEndpoint, type Declared } from '../../../support/model/endpoints.ts';
import { readListing } from '../../catalogue/read-listing.ts';

const it = bounded(test);
const NOW = 1_760_000_000_000;

const CHEAP: Partial<Declared> = { pricing: { prompt: '0.1', completion: '0.1' }, contextLength: 8_192 };
const DEAR: Partial<Declared> = { pricing: { prompt: '0.2', completion: '0.2' }, contextLength: 200_000 };

function offer(slug: string, declared: Partial<Declared>, more: Partial<Endpoint> = {}): Endpoint {
  return { ...boardEndpoint(slug, 'http://x/v1', declared), ...more };
}

const endpoints = board(
  offer('cheap', { ...CHEAP, id: 'm/mixed' }, { inputModalities: ['text', 'audio'] }),
  offer(
    'dear',
    { ...DEAR, id: 'm/mixed' },
    { inputModalities: ['text', 'image'], outputModalities: ['text', 'image'] },
  ),
  offer('cheap', { ...CHEAP, id: 'm/plain' }),
);

interface Summary {
  readonly id: string;
  readonly context_length: number;
  readonly architecture: object;
}

function listed(query: string): readonly Summary[] {
  return readListing<{ data: readonly Summary[] }>(filterModels(endpoints, new URLSearchParams(query), NOW)).data;
}

const idsOf = (query: string): readonly string[] =>
  listed(query)
    .map(({ id }) => id)
    .sort();

it('any endpoint of a model satisfies the filters of context and modalities, not only the cheapest (rule C14)', () => {
  assert.equal(idsOf('context=8192'), ['m/mixed', 'm/plain']);
  assert.equal(idsOf('context=100000'), ['m/mixed']);
  assert.equal(idsOf('context=200001'), []);
  assert.equal(idsOf('input_modalities=image'), ['m/mixed']);
  assert.equal(idsOf('output_modalities=image,text'), ['m/mixed']);
  assert.equal(idsOf('output_modalities=image&context=100000&input_modalities=audio'), ['m/mixed']);
});

it('one endpoint has to declare all modalities of a filter, since one endpoint takes the request', () => {
  assert.equal(idsOf('input_modalities=text,audio'), ['m/mixed']);
  assert.equal(idsOf('input_modalities=audio,image'), []);
});

it('a filter leaves the summary as it is: the cheapest endpoint supplies it (rule C1)', () => {
  const [summary] = listed('context=100000');
  assert.is(summary?.context_length, 8_192);
  assert.match(JSON.stringify(summary?.architecture), /"input_modalities":\["text","audio"\]/);
});

it('hostile and malformed values are 400, or plain text that matches nothing; none is evaluated (rule E38)', () => {
  const refused = [
    ...['sort=__proto__', 'sort=constructor', 'sort=', 'limit=0', 'limit=-1', 'limit=1e3', 'limit=1e309', 'limit=NaN'],
    ...['limit=9999999999', 'offset=-0', 'offset=1.5', 'zdr=1', 'zdr=TRUE', 'zdr='],
    ...['min_price=-1', 'max_price=1e-7', 'min_output_price=Infinity', 'max_output_price=0x10', 'min_price='],
    ...['max_price=1.', `max_price=${'9'.repeat(13)}`, 'min_tool_success_rate=101', 'max_tool_success_rate=-1'],
    ...['min_tool_success_rate=1e2', 'min_age_days=-1', 'max_age_days=1.5', 'q=a&q=b', 'providers=a&providers=a'],
  ];
  for (const query of refused) {
    assert.throws(
      () => listed(query),
      (error: unknown) => error instanceof GatewayError && error.status === 400,
      query,
    );
  }
  const literal = [
    'q=%25',
    `q=${'a'.repeat(15_000)}`,
    'q=_ixed',
    'q=.*',
    'family=__proto__',
    'providers=__proto__',
    'region=constructor',
  ];
  for (const query of [...literal, 'supported_parameters=toString', 'input_modalities=__proto__', 'model_authors=*'])
    assert.equal(idsOf(query), [], query);
  assert.equal(idsOf('__proto__=1&constructor=2&unknown=3'), ['m/mixed', 'm/plain'], 'unknown members are ignored');
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});

it('a context that is no whole number is 400', () => {
  for (const wrong of ['-1', '1e3', 'NaN', '8k']) {
    assert.throws(
      () => filterModels(endpoints, new URLSearchParams({ context: wrong }), NOW),
      (error: unknown) => error instanceof GatewayError && error.status === 400,
    );
  }
});

it('the whole list is gathered and named once per state of the catalogue, and is what an empty filter answers', () => {
  const whole = filterModels(endpoints, new URLSearchParams(), NOW);
  assert.is(filterModels(endpoints, new URLSearchParams(), NOW + 1), whole);
  const filtered = filterModels(endpoints, new URLSearchParams('zdr=false'), NOW);
  assert.is.not(filtered, whole);
  assert.equal([listingText(filtered), listingDigest(filtered)], [listingText(whole), listingDigest(whole)]);
  const more = board(
    ...[...endpoints.values()].map((each) => each as never),
    offer('late', { ...CHEAP, id: 'm/late' }),
  );
  assert.is.not(listingDigest(filterModels(more, new URLSearchParams(), NOW)), listingDigest(whole));
});

test.run();
