import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import { discounted } from '../../../../gateway/catalogue/document/tariff-of.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';
import { declared } from '../declared.ts';

const it = bounded(test);
const [INPUT] = MODEL.input_modalities;
const [OUTPUT] = MODEL.output_modalities;
const PROMPT = { type: 'prompt', unit: 'token', cost_usd: '0.000001' };

it('prices have exact units, cache lifetimes and discounts (rule C19)', () => {
  // rule C19
  const { tariff } = declared({
    discount_to_user: 0.1,
    input_modalities: [
      {
        ...INPUT,
        pricing: [
          { ...PROMPT, cost_usd: '0.000000000000000000000000000001' },
          { type: 'cached_prompt', unit: 'token', cost_usd: '0.0000001' },
          { type: 'cache_write', unit: 'token', cost_usd: '0.00000125', ttl_seconds: 300 },
          { type: 'cache_write', unit: 'token', cost_usd: '0.000002', ttl_seconds: 3600 },
          { type: 'cache_write', unit: 'token', cost_usd: '0.000009', ttl_seconds: 60 },
        ],
      },
      { type: 'image', pricing: [{ type: 'prompt', unit: 'image', cost_usd: '0.01' }] },
    ],
    output_modalities: [
      { ...OUTPUT, pricing: [{ type: 'internal_reasoning', unit: 'token', cost_usd: '3' }] },
      {
        type: 'image',
        supported_parameters: {},
        pricing: [{ type: 'completion', unit: 'megapixel', cost_usd: '0.02' }],
      },
      { type: 'audio', supported_parameters: {}, pricing: [{ type: 'completion', unit: 'second', cost_usd: '0.5' }] },
    ],
    pricing: [{ type: 'request', unit: 'request', cost_usd: '0.001' }],
  });
  const { id: _, ...rest } = tariff;
  assert.equal(rest, {
    prompt: '0.0000000000000000000000000000009',
    inputCacheRead: '0.00000009',
    inputCacheWrite: '0.000001125',
    inputCacheWrite1h: '0.0000018',
    image: '0.009',
    internalReasoning: '2.7',
    imageMegapixel: '0.018',
    audioSecond: '0.45',
    audioSecondOf: 'completion',
    request: '0.0009',
    discount: 0.1,
  });
});

it('a discount is exact: against whole numbers of any size (rule C20)', () => {
  const PLACES = 52n;
  const whole = (text: string): bigint => {
    const [units = '0', decimals = ''] = text.split('.');
    return BigInt(units + decimals.padEnd(Number(PLACES), '0'));
  };
  const price = fc.tuple(fc.bigInt(0n, 10n ** 12n - 1n), fc.bigInt(0n, 10n ** 40n - 1n));
  const discount = fc.integer({ min: -(10 ** 8), max: 10 ** 6 - 1 }).map((millionths) => millionths / 1e6);
  fc.assert(
    fc.property(price, discount, ([units, decimals], off) => {
      const text = `${units}.${String(decimals).padStart(40, '0')}`;
      const kept = 10n ** 6n - BigInt(Math.round(off * 1e6));
      assert.is(whole(discounted(text, off)), (whole(text) / 10n ** 6n) * kept);
    }),
    { numRuns: 2_000 },
  );
});

it('a markup is a negative discount, and an implicit cache write has no price', () => {
  const write = { type: 'cache_write', unit: 'token', cost_usd: '1', implicit: true };
  const { tariff } = declared({
    input_modalities: [{ ...INPUT, pricing: [{ ...PROMPT, cost_usd: '2' }, write] }],
    discount_to_user: -0.25,
  });
  assert.is(tariff.prompt, '2.5');
  assert.is(tariff.discount, -0.25);
  assert.is(tariff.inputCacheWrite, undefined);
});

it('tiers and windows become overrides, windows last; one condition is one entry (rule C21)', () => {
  // rule C21
  const tier = (gte: number, cost_usd: string): object => ({ when: { prompt_tokens: { gte } }, cost_usd });
  const night = { utc_start: 2200, utc_end: 600 };
  const { tariff } = declared({
    input_modalities: [
      {
        ...INPUT,
        pricing: [
          { ...PROMPT, cost_usd: '5', ...night, overrides: [tier(201, '6')] },
          { ...PROMPT, cost_usd: '1', overrides: [tier(101, '2'), tier(201, '3')] },
        ],
      },
    ],
    output_modalities: [
      {
        ...OUTPUT,
        pricing: [
          { type: 'completion', unit: 'token', cost_usd: '10', overrides: [tier(101, '20')] },
          { type: 'completion', unit: 'token', cost_usd: '50', ...night },
        ],
      },
    ],
  });
  assert.is(tariff.prompt, '1');
  assert.is(tariff.completion, '10');
  assert.equal(tariff.overrides, [
    { minPromptTokens: 100, prompt: '2', completion: '20' },
    { minPromptTokens: 200, prompt: '3' },
    { utcStart: 2200, utcEnd: 600, prompt: '5', completion: '50' },
    { minPromptTokens: 200, utcStart: 2200, utcEnd: 600, prompt: '6' },
  ]);
});

it('leaves out a price with an unsupported condition, and a media price with any condition (rule C23)', () => {
  const odd = { when: { moon: { equals: 'full' } }, cost_usd: '9' };
  const both = { when: { allOf: [{ prompt_tokens: { gte: 11 } }, { prompt_tokens: { gte: 21 } }] }, cost_usd: '4' };
  const mixed = { when: { prompt_tokens: { gte: 11 }, moon: { equals: 'full' } }, cost_usd: '9' };
  const upTo = { when: { prompt_tokens: { lte: 11 } }, cost_usd: '9' };
  const { tariff } = declared({
    input_modalities: [{ ...INPUT, pricing: [{ ...PROMPT, cost_usd: '1', overrides: [odd, both, mixed, upTo] }] }],
    output_modalities: [
      OUTPUT,
      {
        type: 'image',
        supported_parameters: {},
        pricing: [
          { type: 'completion', unit: 'image', cost_usd: '1', overrides: [odd] },
          { type: 'completion', unit: 'megapixel', cost_usd: '1', utc_start: 0, utc_end: 100 },
          { type: 'completion', unit: 'token', cost_usd: '7' },
        ],
      },
    ],
  });
  assert.is(tariff.prompt, '1');
  assert.equal(tariff.overrides, [{ minPromptTokens: 20, prompt: '4' }]);
  assert.is(tariff.imageOutput, undefined);
  assert.is(tariff.imageMegapixel, undefined);
  assert.is(tariff.imageOutputToken, '7');
});

it('two different prices for one unit cancel each other (rule C23)', () => {
  const second = (type: string, cost_usd: string): object => ({ type, unit: 'second', cost_usd });
  const audio = (input: string, output: string): EndpointDeclaration =>
    declared({
      input_modalities: [INPUT, { type: 'audio', pricing: [second('prompt', input)] }],
      output_modalities: [OUTPUT, { type: 'audio', supported_parameters: {}, pricing: [second('completion', output)] }],
    });
  assert.is(audio('1', '2').tariff.audioSecond, undefined);
  assert.is(audio('1', '1').tariff.audioSecond, '1');
  assert.is(audio('1', '1').tariff.audioSecondOf, undefined);
  const heard = declared({ input_modalities: [INPUT, { type: 'audio', pricing: [second('prompt', '1')] }] }).tariff;
  assert.is(heard.audioSecondOf, 'prompt');
  assert.is.not(
    heard.id,
    declared({
      output_modalities: [OUTPUT, { type: 'audio', supported_parameters: {}, pricing: [second('completion', '1')] }],
    }).tariff.id,
  );
});

it('a free model has its own id and costs nothing (rule C24)', () => {
  const free = declared({ is_free: true });
  assert.is(free.model, 'm/one:free');
  assert.equal([free.tariff.prompt, free.tariff.completion, free.tariff.discount], ['0', '0', 0]);
});

it('equal prices have equal ids, different prices different ids', () => {
  assert.is(declared({}).tariff.id, declared({ name: 'other' }).tariff.id);
  assert.is.not(declared({}).tariff.id, declared({ discount_to_user: 0.5 }).tariff.id);
});

test.run();
