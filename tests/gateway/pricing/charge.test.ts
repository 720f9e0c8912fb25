import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import type { MediaUnits, Usage } from '../../../gateway/terms/usage.ts';
import { bounded } from '../../support/bounded.ts';
import { expectedCharge } from './oracle.ts';
import { Dice, randomCharge, randomTariff } from './random-charge.ts';

/** `npm run drift` sets the number of charges to a million; the seed can be set as well. */
const CHARGES = Number(process.env.TROUPE_CHARGES ?? 20_000);
const SEED = Number(process.env.TROUPE_SEED ?? 1);
const CHARGES_PER_TARIFF = 20;

const it = bounded(test, 60_000 + CHARGES);

const AT = Date.UTC(2026, 10, 21, 12);

function cost(tariff: Partial<Tariff>, used: Usage, media: MediaUnits = {}, at = AT): string {
  return charged(tariff, used, media, at).cost;
}

function charged(tariff: Partial<Tariff>, used: Usage, media: MediaUnits = {}, at = AT): ReturnType<typeof charge> {
  return charge({ id: 't', discount: 0, ...tariff }, used, { at, promptTokens: used.promptTokens ?? 0, media });
}

it(`${CHARGES} random charges equal those of the integer oracle, to the 24th decimal (rule K41)`, () => {
  const dice = new Dice(SEED);
  let tariff = randomTariff(dice);
  let drift = 0;
  for (let at = 0; at < CHARGES; at++) {
    if (at % CHARGES_PER_TARIFF === 0) tariff = randomTariff(dice);
    const { used, terms } = randomCharge(dice, tariff);
    const ours = charge(tariff, used, terms);
    const expected = expectedCharge(tariff, used, terms);
    if (ours.cost === expected.cost && String(ours.unpriced) === String(expected.unpriced)) continue;
    if (drift++ < 3)
      process.stderr.write(`${JSON.stringify({ seed: SEED, at, ours, expected, tariff, used, terms })}\n`);
  }
  assert.is(drift, 0, `seed ${SEED}`);
  if (CHARGES >= 1_000_000) process.stdout.write(`${CHARGES} charges, drift ${drift}, seed ${SEED}\n`);
});

it('rates keep all their decimals and the sum is rounded down once (rule K40, rule C20)', () => {
  const third = `0.${'3'.repeat(40)}`;
  assert.is(
    cost({ prompt: third, completion: third }, { promptTokens: 2, completionTokens: 1 }),
    `0.${'9'.repeat(24)}`,
  );
  assert.is(cost({ prompt: `0.${'0'.repeat(24)}9` }, { promptTokens: 1 }), '0');
});

it('an undeclared price is recorded as unpriced and charged nothing (rule K76)', () => {
  const used = { promptTokens: 3, completionTokens: 2 };
  assert.equal(charged({ completion: '0.5' }, used), { cost: '1', unpriced: ['prompt'] });
  assert.equal(charged({}, used), { cost: '0', unpriced: ['prompt', 'completion'] });
  assert.equal(charged({}, {}), { cost: '0', unpriced: [] });
  assert.equal(charged({ prompt: '0', completion: '0' }, used), { cost: '0', unpriced: [] });
});

it('the request price is charged once, whatever the counts', () => {
  assert.is(cost({ request: '0.0001' }, {}), '0.0001');
});

it('the discount is informative only: prices already include it (rule C19)', () => {
  assert.is(cost({ prompt: '2', discount: 0.5 }, { promptTokens: 3 }), '6');
});

it('cache reads and writes are a part of the prompt, each at its own price (rule K77)', () => {
  const used = { promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 20, cacheWrite1hTokens: 10 };
  const prices = { prompt: '1', inputCacheRead: '0.1', inputCacheWrite: '1.25', inputCacheWrite1h: '2' };
  assert.is(cost(prices, used), '61');
});

it('cached tokens without a declared cache price are charged as prompt tokens', () => {
  assert.equal(charged({ prompt: '1' }, { promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 20 }), {
    cost: '100',
    unpriced: [],
  });
});

it('parts are charged up to their total', () => {
  const prices = { prompt: '1', inputCacheRead: '0.1', inputCacheWrite: '1' };
  assert.is(cost(prices, { promptTokens: 10, cachedTokens: 50, cacheWriteTokens: 50 }), '1');
});

it('reasoning is a part of the completion: at its own price where declared, at the completion price otherwise (rule K77)', () => {
  const used = { completionTokens: 100, reasoningTokens: 80 };
  assert.is(cost({ completion: '1', internalReasoning: '3' }, used), '260');
  assert.is(cost({ completion: '1' }, used), '100');
  assert.equal(charged({ internalReasoning: '3' }, used), { cost: '240', unpriced: ['completion'] });
});

it('images are charged beside tokens: by the piece, by the megapixel, by their tokens (rule K78)', () => {
  const images = { images: 2, megapixels: '2.097152' };
  assert.is(cost({ imageOutput: '0.04' }, {}, images), '0.08');
  assert.is(cost({ imageMegapixel: '0.01' }, {}, images), '0.02097152');
  const used = { completionTokens: 1_000, imageTokens: 900 };
  assert.is(cost({ completion: '1', imageOutputToken: '2' }, used, images), '1900');
  assert.equal(charged({ completion: '1' }, used, images), { cost: '1000', unpriced: ['image_megapixel'] });
});

it('an unread image leaves its megapixels unpriced and charges the rest (rule K78)', () => {
  const images = { images: 2, megapixels: '1', imagesUnread: 1 };
  assert.equal(charged({ imageMegapixel: '0.5' }, {}, images), { cost: '0.5', unpriced: ['image_megapixel'] });
  assert.equal(charged({ imageOutput: '0.5' }, {}, images), { cost: '1', unpriced: [] });
});

it('speech is charged by the second or by its tokens, and unpriced where neither is declared (rule K78)', () => {
  assert.is(cost({ audioSecond: '0.002' }, {}, { audioSeconds: '1.5' }), '0.003');
  const used = { completionTokens: 50, audioTokens: 40 };
  assert.is(cost({ completion: '1', audioOutput: '5' }, used, { audioSeconds: '2' }), '210');
  assert.equal(charged({}, {}, { audioSeconds: '2' }), { cost: '0', unpriced: ['audio_second'] });
  assert.equal(charged({ audioSecond: '1' }, {}, { audioUnread: true }), { cost: '0', unpriced: ['audio_second'] });
});

it('characters of the prompt are charged where that price is declared', () => {
  assert.equal(charged({ character: '0.5' }, {}, { inputCharacters: 3 }), { cost: '1.5', unpriced: [] });
  assert.equal(charged({ prompt: '1' }, {}, { inputCharacters: 3 }), { cost: '0', unpriced: [] });
});

it('audio of the prompt is charged by the second, and listed as unpriced where it cannot be', () => {
  const heard = { inputAudioSeconds: '1.5' };
  const both = { audioSecond: '2' };
  assert.equal(charged(both, {}, heard), { cost: '3', unpriced: [] });
  assert.equal(charged(both, {}, { ...heard, audioSeconds: '1' }), { cost: '5', unpriced: [] });
  assert.equal(charged(both, {}, { inputAudioUnread: true }), { cost: '0', unpriced: ['audio_second'] });
  assert.equal(charged(both, {}, { ...heard, inputAudioUnread: true }), { cost: '3', unpriced: ['audio_second'] });
  assert.equal(charged({}, {}, heard), { cost: '0', unpriced: [] });
  const spoken = { ...both, audioSecondOf: 'completion' } as const;
  assert.equal(charged(spoken, {}, { ...heard, audioSeconds: '1' }), { cost: '2', unpriced: ['audio_second'] });
  const listened = { ...both, audioSecondOf: 'prompt' } as const;
  assert.equal(charged(listened, {}, { ...heard, audioSeconds: '1' }), { cost: '3', unpriced: ['audio_second'] });
});

it('images of the prompt are charged by the piece where that price is declared', () => {
  assert.is(cost({ image: '0.001' }, {}, { inputImages: 3 }), '0.003');
  assert.equal(charged({}, {}, { inputImages: 3 }), { cost: '0', unpriced: [] });
});

test.run();
