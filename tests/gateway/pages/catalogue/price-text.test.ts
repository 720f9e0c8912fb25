import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tariff } from '../../../../actors/terms/tariff.ts';
import {
  alignedPrices,
  conditionalPrices,
  perMillionText,
  priceLines,
} from '../../../../gateway/pages/catalogue/price-text.ts';
import { PRICE_KEYS, unitName } from '../../../../gateway/pricing/prices.ts';

const tariff = (prices: Partial<Tariff>): Tariff => ({ id: 'tar_1', discount: 0, ...prices });

test('tokens are priced by the million, an undeclared price is none', () => {
  assert.is(perMillionText('0.0000005'), '$0.50');
  assert.is(perMillionText('0.00000000012'), '$0.00012');
  assert.is(perMillionText(undefined), '–');
});

test('every unit of the catalogue has words of its own', () => {
  for (const key of PRICE_KEYS) {
    const [line] = priceLines(tariff({ [key]: '0.5' }));
    assert.ok(line, key);
    assert.is.not(line.per, 'unit', `${unitName(key)} has no words`);
  }
});

test('a video whose price depends on the request shows the range', () => {
  const videoTiers = [{ rate: '0.05' }, { rate: '0.01', resolution: '480p' }, { rate: '0.1', audio: true }];
  assert.equal(priceLines(tariff({ videoTiers })), [{ name: 'Video', price: '$0.01 to $0.10', per: 'second' }]);
  assert.equal(priceLines(tariff({ videoTiers: [{ rate: '0.05' }] })), [
    { name: 'Video', price: '$0.05', per: 'second' },
  ]);
  assert.equal(priceLines(tariff({ videoTiers: [] })), []);
});

test('prices of one column have their points below each other; what is no price stays as it is', () => {
  assert.equal(alignedPrices(['0.0000005', '0.000000531', undefined, '0.001']), [
    '$0.500',
    '$0.531',
    '–',
    '$1,000.000',
  ]);
  assert.equal(alignedPrices([undefined]), ['–']);
});

test('prices under conditions name all of them, in their order', () => {
  const overrides = [
    { minPromptTokens: 200_000, prompt: '0.000002' },
    { utcStart: 2200, utcEnd: 630, utcDays: ['sat', 'sun'], completion: '0.000001' },
  ] as unknown as NonNullable<Tariff['overrides']>;
  assert.equal(conditionalPrices(tariff({ overrides })), [
    { when: 'over 200,000 prompt tokens', lines: [{ name: 'Input', price: '$2.00', per: 'M tokens' }] },
    { when: 'sat, sun, 22:00 to 06:30 UTC', lines: [{ name: 'Output', price: '$1.00', per: 'M tokens' }] },
  ]);
  assert.equal(conditionalPrices(tariff({})), []);
});

test.run();
