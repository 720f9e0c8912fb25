import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../support/bounded.ts';
import { at, cheap, dear, evidence, measured, p50, planned, refused, slugs } from '../scene.ts';

const it = bounded(test);

it(':exacto orders by measured tool-call reliability and requires declared tools (rule I10)', () => {
  const endpoints = [
    at('unmeasured', cheap),
    at('good', dear, evidence({ toolCallSuccess1d: 93 })),
    at('best', dear, evidence({ toolCallSuccess1d: 99 })),
    at('bare', { ...cheap, supportedParameters: ['temperature'] }),
  ];
  for (const seed of [0, 0.5, 0.99]) {
    assert.equal(slugs({ model: 'm/one:exacto' }, endpoints, seed), ['best', 'good', 'unmeasured']);
    assert.equal(slugs({ provider: { sort: 'exacto' } }, endpoints, seed), ['best', 'good', 'unmeasured']);
  }
  const { rejections } = planned({ model: 'm/one:exacto' }, endpoints);
  assert.equal(rejections, [{ provider: 'bare', endpoint: 'bare', reason: 'require_parameters', member: 'tools' }]);
});

it(':exacto requires even the advisory settings to be declared (rule I10)', () => {
  const able = at('able', { supportedParameters: ['tools', 'enable_thinking'] });
  assert.equal(slugs({ model: 'm/one:exacto', enable_thinking: true }, [at('other'), able]), ['able']);
});

it('suffixes work with every form of a model id (rule I9)', () => {
  const endpoints = [
    at('a', cheap, measured({ throughput30m: p50(10) })),
    at('b', dear, measured({ throughput30m: p50(90) })),
  ];
  assert.equal(slugs({ model: 'm/one:nitro' }, endpoints), ['b', 'a']);
  assert.equal(slugs({ model: 'm/one:floor' }, endpoints), ['a', 'b']);
  assert.equal(slugs({ model: 'a/one:nitro' }, endpoints), ['a']);
  assert.equal(slugs({ model: 'a/m/one:floor' }, endpoints), ['a']);
  assert.equal(
    slugs({ model: 'm/one:nitro', provider: { sort: 'price' } }, endpoints),
    ['b', 'a'],
    'the suffix is nearer',
  );
});

it('provider/slug denotes every model of that slug at that provider (rule I8)', () => {
  const endpoints = [at('a'), at('a', { id: 'x/one' }), at('b')];
  const models = planned({ model: 'a/one' }, endpoints).candidates.map(({ model }) => model);
  assert.equal(models.sort(), ['m/one', 'x/one']);
});

it('a free model has no price above zero, conditional ones included (rule C24)', () => {
  const zero = { prompt: '0', completion: '0' };
  const free = at('free', { pricing: zero });
  const perRequest = at('asks', { pricing: { ...zero, request: '0.01' } });
  const later = { ...free.tariff, overrides: [{ prompt: '0.000001', utcStart: 900, utcEnd: 1700 }] };
  const byDay = at('byday', {}, { tariff: later });
  assert.equal(slugs({ model: 'm/one:free' }, [free, perRequest, byDay]), ['free']);
});

it('the models are tried in order, endpoint by endpoint (rule I11)', () => {
  const endpoints = [
    at('a', { ...cheap, supportedParameters: [] }),
    at('b', { id: 'm/two' }),
    at('c', { id: 'm/three' }),
  ];
  const { candidates, rejections } = planned(
    { models: ['m/none', 'm/two', 'm/three', 'm/two'], temperature: 1 },
    endpoints,
  );
  assert.equal(
    candidates.map(({ model }) => model),
    ['m/two', 'm/three'],
  );
  assert.equal(
    rejections.map(({ provider }) => provider),
    ['a'],
  );
});

it('a base model without endpoints lists the variants of its family (rule I12)', () => {
  const endpoints = [at('a', { id: 'm/one-mini' }), at('a', { id: 'm/one:thinking' }), at('a', { id: 'm/onerous' })];
  const error = refused({ model: 'm/one' }, endpoints);
  assert.is(error.status, 404);
  assert.equal(error.metadata.family_variants, ['m/one-mini', 'm/one:thinking']);
  assert.is(refused({ model: 'm/zero' }, endpoints).metadata.family_variants, undefined);
});

it('an unknown suffix of a known model is named, with the model and the suffixes that exist (rule I9)', () => {
  const { status, message, metadata } = refused({ model: 'm/one:huge' }, [at('a', cheap)]);
  assert.is(status, 404);
  assert.match(message, /the suffix :huge is unknown; the suffixes are :free, :nitro, :floor, :exacto$/);
  assert.equal(metadata.suggestions, ['m/one']);
  const unknown = refused({ model: 'm/two:huge' }, [at('a', cheap)]);
  assert.is(unknown.message, 'Model m/two:huge is not in the catalogue; others are: m/one');
});

test.run();
