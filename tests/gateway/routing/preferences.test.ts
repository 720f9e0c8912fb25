import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../../gateway/routing/plan.ts';
import { bounded } from '../../support/bounded.ts';
import { board } from '../../support/model/endpoints.ts';
import { at, cheap, dear, planned, refusal, refused, slugs, slugsOf, turnOf } from './scene.ts';

const it = bounded(test);

it('a provider slug in order denotes every variant of the provider, slug/variant only that one (rule I29)', () => {
  const endpoints = [
    at('a', { ...cheap, quantization: 'int4' }),
    { ...at('a', { ...dear, quantization: 'fp8' }), id: 'ep_a_fp8' },
    at('b', cheap),
  ];
  const tags = (names: string[]) =>
    planned({ provider: { order: names } }, endpoints).candidates.map((c) => c.endpoint.tag);
  assert.equal(tags(['a']), ['a/int4', 'a/fp8', 'b'], 'among the variants of one name the cheaper comes first');
  assert.equal(tags(['a/fp8']).slice(0, 1), ['a/fp8']);
  assert.equal(tags(['b', 'a/fp8']), ['b', 'a/fp8', 'a/int4']);
  assert.equal(tags(['nobody', 'b']).slice(0, 1), ['b'], 'an unknown slug is skipped');
});

it('endpoints listed in order ignore the seed and the conversation (rule I29)', () => {
  const endpoints = ['a', 'b', 'c', 'd'].map((slug) => at(slug, cheap));
  const last = endpoints[3]?.id as string;
  for (let n = 0; n < 50; n++) {
    const found = slugs({ session_id: `talk-${n}`, provider: { order: ['c', 'a'] } }, endpoints, n / 50, last);
    assert.equal(found.slice(0, 2), ['c', 'a']);
  }
  const firstOfRest = new Set(
    Array.from(
      { length: 50 },
      (_, n) => slugs({ session_id: 'talk', provider: { order: ['c', 'a'] } }, endpoints, n / 50, last)[2],
    ),
  );
  assert.equal([...firstOfRest].sort(), ['b', 'd'], 'the unlisted follow in the normal order');
});

it('without fallbacks only the first choice may serve, and the others have a rejection (rule I30)', () => {
  const endpoints = [at('a', cheap), at('b', dear)];
  const { candidates, rejections } = planned({ provider: { allow_fallbacks: false, sort: 'price' } }, endpoints);
  assert.equal(
    candidates.map(({ endpoint }) => endpoint.provider.slug),
    ['a'],
  );
  assert.equal(rejections, [
    { provider: 'b', endpoint: 'b', reason: 'constraint_filtered', member: 'provider.allow_fallbacks' },
  ]);
});

it('quantizations match declared values, and unknown matches an undeclared one (rule I32)', () => {
  const endpoints = [at('fp8', { quantization: 'fp8' }), at('int4', { quantization: 'int4' }), at('none')];
  assert.equal(slugs({ provider: { quantizations: ['fp8'] } }, endpoints), ['fp8']);
  assert.equal(slugs({ provider: { quantizations: ['unknown'] } }, endpoints), ['none']);
  const { rejections } = planned({ provider: { quantizations: ['int4'] } }, endpoints);
  assert.equal(
    rejections.map(({ reason, member }) => [reason, member]),
    [
      ['quantization', 'provider.quantizations'],
      ['quantization', 'provider.quantizations'],
    ],
  );
});

it('zero retention and no collection need an approved review and a declaration (rule I31)', () => {
  const vetted = at('vetted', {}, { compliance: { hipaa: null, zdr: 'approved' } });
  const claims = at('claims', {}, { compliance: { hipaa: null, zdr: 'pending' } });
  const trains = at('trains', {}, { dataPolicy: { training: true, retentionDays: null } });
  const keeps = at('keeps', {}, { dataPolicy: { training: false, retentionDays: 30 } });
  assert.equal(slugs({ provider: { zdr: true } }, [claims, vetted]), ['vetted']);
  assert.equal(slugs({ store: false }, [claims, vetted]), ['vetted']);
  assert.equal(slugs({ provider: { data_collection: 'deny' } }, [trains, keeps, at('silent')]), ['keeps']);
  assert.equal(slugs({ provider: { zdr: false, data_collection: 'allow' } }, [claims]), ['claims']);
});

it('a request cannot loosen the zero retention of its workspace (rule I31)', () => {
  const vetted = at('vetted', {}, { compliance: { hipaa: null, zdr: 'approved' } });
  const endpoints = board(vetted, at('other'));
  const defaults = { zeroRetention: true };
  for (const body of [{}, { provider: { zdr: false } }, { provider: { zdr: true } }]) {
    assert.equal(slugsOf(plan(turnOf(body), endpoints, 0.5, null, defaults)), ['vetted']);
  }
  const error = refusal(() => plan(turnOf({ provider: { zdr: false } }), board(at('other')), 0.5, null, defaults));
  assert.equal(error.metadata.rejections, [
    { provider: 'other', endpoint: 'other', reason: 'data_policy:zdr', member: 'workspace.zdr' },
  ]);
});

it('the partition of sort precedes that of route, which precedes that of the workspace (rule I21)', () => {
  const endpoints = board(at('a', dear), at('b', { id: 'm/two', ...cheap }));
  const together = { partition: 'none' } as const;
  const table: readonly (readonly [object, object, string])[] = [
    [{ provider: { sort: { by: 'price' } } }, {}, 'a'],
    [{ provider: { sort: { by: 'price' } } }, together, 'b'],
    [{ provider: { sort: { by: 'price' } }, route: 'sort' }, {}, 'b'],
    [{ provider: { sort: { by: 'price' } }, route: 'fallback' }, together, 'a'],
    [{ provider: { sort: { by: 'price', partition: 'model' } }, route: 'sort' }, together, 'a'],
    [{ provider: { sort: { by: 'price', partition: 'none' } }, route: 'fallback' }, {}, 'b'],
  ];
  for (const [body, defaults, first] of table) {
    const turn = turnOf({ models: ['m/two'], ...body });
    assert.is(slugsOf(plan(turn, endpoints, 0.5, null, defaults))[0], first, JSON.stringify([body, defaults]));
  }
});

it('require_parameters makes the advisory settings required as well', () => {
  const endpoints = [at('bare'), at('able', { supportedParameters: ['enable_thinking'] })];
  assert.is(slugs({ enable_thinking: true }, endpoints).length, 2);
  assert.equal(slugs({ enable_thinking: true, provider: { require_parameters: true } }, endpoints), ['able']);
});

it('a price cap of every kind is an exact filter (rule I34)', () => {
  const tariff = { ...at('x').tariff, prompt: '0.000001', completion: '0.000002', request: '0.01' };
  const media = { imageOutput: '0.04', imageMegapixel: '0.02', videoSecond: '0.1', audioSecond: '0.001' };
  const priced = at('a', {}, { tariff: { ...tariff, ...media } });
  const caps: readonly (readonly [string, string, string])[] = [
    ['prompt', '1', '0.999'],
    ['completion', '2', '1.999'],
    ['request', '0.01', '0.0099'],
    ['image_output', '0.04', '0.0399'],
    ['image_megapixel', '0.02', '0.0199'],
    ['video_second', '0.1', '0.0999'],
    ['audio_second', '0.001', '0.00099'],
  ];
  for (const [member, enough, tooLow] of caps) {
    assert.equal(slugs({ provider: { max_price: { [member]: enough } } }, [priced]), ['a'], member);
    const error = refused({ provider: { max_price: { [member]: tooLow } } }, [priced]);
    assert.is(error.status, 503);
    assert.equal(error.metadata.rejections, [
      {
        ...{ provider: 'a', endpoint: 'a', reason: 'max_price', member: `provider.max_price.${member}` },
        ...{ detail: `${enough} is above ${tooLow}`, price: enough },
      },
    ]);
  }
  assert.equal(slugs({ provider: { max_price: { image: '0', audio: '0' } } }, [priced]), ['a'], 'these have no effect');
});

it('an undeclared price violates a cap on a consumed unit, and passes any other cap (rule I34)', () => {
  const endpoints = board(at('a', { pricing: { prompt: '0.000001' } }));
  const priceMax = (caps: object, more: object = {}) =>
    turnOf({}, { preferences: { allowFallbacks: true, priceMax: caps }, ...more });
  const ok = { imageOutput: '1', imageMegapixel: '1', videoSecond: '1', audioSecond: '1', request: '1' };
  assert.equal(slugsOf(plan(priceMax(ok), endpoints, 0.5)), ['a']);
  assert.is(refusal(() => plan(priceMax({ completion: '1' }), endpoints, 0.5)).status, 503);
  const makesImages = { outputModalities: ['text', 'image'] } as const;
  const imageTurn = { modalities: { input: [], output: ['image'] } };
  const imageRefusal = refusal(() =>
    plan(priceMax({ imageOutput: '1' }, imageTurn), board(at('a', {}, makesImages)), 0.5),
  );
  assert.match(imageRefusal.message, /max_price\.image_output/);
  const takesAudio = {
    inputModalities: ['text', 'audio'],
    inputs: { audio: { sources: ['url'], containers: null } },
  } as const;
  const audioRefusal = refusal(() =>
    plan(
      priceMax({ audioSecond: '1' }, { modalities: { input: ['audio'], output: [] } }),
      board(at('a', {}, takesAudio)),
      0.5,
    ),
  );
  assert.match(audioRefusal.message, /max_price\.audio_second/);
});

it('a cap also applies to the prices of other hours, and to those of longer prompts that this one may reach (rule I34)', () => {
  const base = at('a', cheap);
  const night = {
    ...base,
    tariff: { ...base.tariff, overrides: [{ prompt: '0.00001', utcStart: 2200, utcEnd: 600 }] },
  };
  const long = { ...base, tariff: { ...base.tariff, overrides: [{ prompt: '0.00001', minPromptTokens: 4_000 }] } };
  const body = { provider: { max_price: { prompt: '1' } } };
  assert.is(refused(body, [night]).status, 503);
  assert.equal(slugs(body, [long]), ['a']);
  const messages = [{ role: 'user', content: 'word '.repeat(4_000) }];
  assert.is(refused({ ...body, messages }, [long]).status, 503);
});

test.run();
