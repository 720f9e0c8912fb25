import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isUsd } from '../../../../actors/terms/usd.ts';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { parse as parseCompletion } from '../../../../gateway/dialects/completions/parse.ts';
import { shortestDecimal } from '../../../../gateway/json/shortest-decimal.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { Preferences } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I28. */
const it = bounded(test);
const CHAT = { model: 'a/b', messages: [{ role: 'user', content: 'x' }] };
const COMPLETION = { model: 'a/b', prompt: 'x' };
const DEFAULT: Preferences = { allowFallbacks: true };
const long = (length: number): string => 'x'.repeat(length);

/** Parsed by both dialects, which must agree. */
function preferencesOf(provider: unknown, beside: object = {}): Preferences {
  const { preferences } = parseChat({ ...CHAT, ...beside, provider });
  assert.equal(parseCompletion({ ...COMPLETION, ...beside, provider }).turn.preferences, preferences);
  return preferences;
}

function refusal(provider: unknown): string {
  for (const parse of [() => parseCompletion({ ...COMPLETION, provider }), () => parseChat({ ...CHAT, provider })]) {
    try {
      parse();
    } catch (error) {
      assert.instance(error, GatewayError);
      assert.is((error as GatewayError).status, 400);
      if (parse.toString().includes('parseChat')) return (error as GatewayError).message;
      continue;
    }
    throw new Error(`accepted: ${JSON.stringify(provider)}`);
  }
  throw new Error('no dialect answered');
}

const QUANTIZATIONS = ['int2', 'int3', 'int4', 'int8', 'fp4', 'mxfp4', 'nvfp4', 'fp6', 'fp8', 'mxfp8', 'fp16', 'bf16'];

const ACCEPTED: readonly (readonly [string, unknown, Partial<Preferences>])[] = [
  ['nothing', {}, {}],
  ['unknown members', { preferred_max_latency: 5, enforce_distillable_text: true }, {}],
  ['lists', { order: ['x', 'y/fp8'], only: [], ignore: ['z'] }, { order: ['x', 'y/fp8'], only: [], ignore: ['z'] }],
  ['an empty order', { order: [], quantizations: [] }, { quantizations: [] }],
  ['long lists', { order: Array(100).fill('x') }, { order: Array(100).fill('x') }],
  ['long names', { only: [long(256)] }, { only: [long(256)] }],
  ['fallbacks off', { allow_fallbacks: false }, { allowFallbacks: false }],
  ['require_parameters', { require_parameters: true }, { requireParameters: true }],
  ['nothing required', { require_parameters: false, zdr: false, data_collection: 'allow' }, {}],
  ['no collection', { data_collection: 'deny' }, { noCollection: true }],
  ['zdr', { zdr: true }, { zeroRetention: 'provider.zdr' }],
  ['quantizations', { quantizations: QUANTIZATIONS }, { quantizations: QUANTIZATIONS }],
  ['the rest of them', { quantizations: ['fp32', 'unknown'] }, { quantizations: ['fp32', 'unknown'] }],
  ['sort as a word', { sort: 'throughput' }, { sort: 'throughput' }],
  ['sort as an object', { sort: { by: 'exacto', partition: 'none' } }, { sort: 'exacto', partition: 'none' }],
  ['sort by nothing', { sort: { by: null, partition: 'model', x: 1 } }, { partition: 'model' }],
  [
    'every cap that binds',
    {
      max_price: {
        prompt: '1',
        completion: 2.5,
        request: '0.000001',
        image_output: 1e-7,
        video_second: 0,
        image_megapixel: '000.1',
        audio_second: 1e3,
      },
    },
    {
      priceMax: {
        prompt: '1',
        completion: '2.5',
        request: '0.000001',
        imageOutput: '0.0000001',
        videoSecond: '0',
        imageMegapixel: '000.1',
        audioSecond: '1000',
      },
    },
  ],
  ['caps that bind nothing', { max_price: { image: '1', audio: 2, unknown: 'x' } }, { priceMax: {} }],
  ['options', { options: { p: { a: null, b: 1 }, q: null, r: {} } }, { options: { p: { b: 1 }, r: {} } }],
];

for (const [what, provider, adds] of ACCEPTED) {
  it(`both dialects read ${what} (rule I28)`, () => assert.equal(preferencesOf(provider), { ...DEFAULT, ...adds }));
}

const REFUSED: readonly (readonly [unknown, string])[] = [
  [{ order: 'x' }, 'order must be an array'],
  [{ order: [''] }, 'order[0] must not be empty'],
  [{ only: [long(257)] }, 'only[0] must have at most 256 characters'],
  [{ ignore: Array(101).fill('x') }, 'ignore must have at most 100 items'],
  [{ allow_fallbacks: 'no' }, 'allow_fallbacks must be a boolean'],
  [{ require_parameters: 1 }, 'require_parameters must be a boolean'],
  [{ data_collection: 'maybe' }, 'data_collection must be one of "allow", "deny", not "maybe"'],
  [{ zdr: 'true' }, 'zdr must be a boolean'],
  [{ sort: { by: 'beauty' } }, 'sort.by must be one of "price", "throughput", "latency", "exacto", not "beauty"'],
  [{ sort: { partition: 'all' } }, 'sort.partition must be one of "model", "none", not "all"'],
  [{ max_price: 5 }, 'max_price must be an object'],
  [{ max_price: { prompt: 1e-41 } }, 'max_price.prompt must have at most 40 decimals'],
  [{ max_price: { completion: 5e-324 } }, 'max_price.completion must have at most 40 decimals'],
  [{ options: { p: 5 } }, 'options.p must be an object'],
  [{ options: [] }, 'options must be an object'],
];

for (const [provider, rule] of REFUSED) {
  it(`400 names provider.${rule} (rule I28)`, () => assert.is(refusal(provider), `provider.${rule}`));
}

it('a refusal names a quantization outside the closed list (rule I32)', () => {
  assert.match(
    refusal({ quantizations: ['fp8', 'int5'] }),
    /^provider\.quantizations\[1\] must be one of .*, not "int5"$/,
  );
});

it('a refusal names a sort of a wrong type', () => {
  assert.match(
    refusal({ sort: 'beauty' }),
    /^provider\.sort must be one of "price", "throughput", "latency", "exacto", not "beauty"$/,
  );
  assert.match(refusal({ sort: 5 }), /^provider\.sort must be .* or an object$/);
});

it('a price is strict decimal text or a number (rule I34)', () => {
  for (const cap of [
    '-1',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '',
    'NaN',
    '1,0',
    '1'.repeat(13),
    `0.${'1'.repeat(41)}`,
  ]) {
    assert.match(refusal({ max_price: { prompt: cap } }), /^provider\.max_price\.prompt must /, cap);
  }
  for (const cap of [-1, -1e-9, 1e13, Number.POSITIVE_INFINITY, true, {}, []]) {
    assert.match(refusal({ max_price: { audio_second: cap } }), /^provider\.max_price\.audio_second must /);
  }
});

it('store and route set preferences, and the provider preferences override them (rule I21)', () => {
  assert.equal(preferencesOf({ sort: { partition: 'none' } }, { route: 'fallback' }), {
    ...DEFAULT,
    partition: 'none',
  });
  assert.equal(preferencesOf({ sort: 'price' }, { route: 'fallback' }), {
    ...DEFAULT,
    sort: 'price',
    partition: 'model',
  });
  assert.is(parseChat({ ...CHAT, store: false, provider: { zdr: true } }).preferences.zeroRetention, 'provider.zdr');
  assert.is(parseChat({ ...CHAT, store: false, provider: { zdr: false } }).preferences.zeroRetention, 'store');
});

it('options with names of prototypes stay data', () => {
  const provider = JSON.parse('{"options":{"__proto__":{"polluted":1},"constructor":{"a":1},"x":null}}');
  const { options } = preferencesOf(provider);
  assert.is(JSON.stringify(options), '{"__proto__":{"polluted":1},"constructor":{"a":1}}');
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

it('a number is written out as the shortest decimal text', () => {
  const written: readonly (readonly [number, string])[] = [
    [1.1, '1.1'],
    [0.1, '0.1'],
    [0, '0'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [1.5e21, '1500000000000000000000'],
    [123e-9, '0.000000123'],
    [1e-7, '0.0000001'],
    [0.30000000000000004, '0.30000000000000004'],
  ];
  for (const [number, text] of written) assert.is(shortestDecimal(number), text);
});

it('any price, once written out, is an amount that parses to the same number', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-20, max: 1e12, noNaN: true }), (number) => {
      const text = shortestDecimal(number);
      assert.is(Number(text), number);
      assert.match(text, /^\d+(\.\d+)?$/);
      assert.ok(isUsd(text) || number >= 1e12);
    }),
    { numRuns: 5_000 },
  );
});

test.run();
