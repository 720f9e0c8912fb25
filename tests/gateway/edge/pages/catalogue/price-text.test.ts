import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tariff } from '../../../../../actors/terms/tariff.ts';
import { perMillionText, priceLines } from '../../../../../gateway/edge/pages/catalogue/price-text.ts';
import { PRICE_KEYS, unitName } from '../../../../../gateway/pricing/unit-name.ts';

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
    assert.not.match(line.text, '/ unit', `${unitName(key)} has no words`);
  }
});

test('a video whose price depends on the request shows the range', () => {
  const videoTiers = [{ rate: '0.05' }, { rate: '0.01', resolution: '480p' }, { rate: '0.1', audio: true }];
  assert.equal(priceLines(tariff({ videoTiers })), [{ name: 'Video', text: '$0.01 to $0.10 / second' }]);
  assert.equal(priceLines(tariff({ videoTiers: [{ rate: '0.05' }] })), [{ name: 'Video', text: '$0.05 / second' }]);
  assert.equal(priceLines(tariff({ videoTiers: [] })), []);
});

test.run();
