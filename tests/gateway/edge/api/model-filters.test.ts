import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { filterModels } from '../../../../gateway/edge/api/model-filters.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { board, boardEndpoint, type Declared } from '../../inference/stage.ts';

const it = bounded(test);

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

const idsOf = (query: string): readonly string[] =>
  filterModels(endpoints, new URLSearchParams(query))
    .data.map(({ id }) => id)
    .sort();

it('any endpoint of a model satisfies the filters of context and modalities, not only the cheapest', () => {
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

it('a filter leaves the summary as it is: the cheapest endpoint supplies it', () => {
  const [summary] = filterModels(endpoints, new URLSearchParams('context=100000')).data;
  assert.is(summary?.context_length, 8_192);
  assert.match(JSON.stringify(summary?.architecture), /"input_modalities":\["text","audio"\]/);
});

it('a context that is no whole number is 400', () => {
  for (const wrong of ['-1', '1e3', 'NaN', '8k']) {
    assert.throws(
      () => filterModels(endpoints, new URLSearchParams({ context: wrong })),
      (error: unknown) => error instanceof GatewayError && error.status === 400,
    );
  }
});

test.run();
