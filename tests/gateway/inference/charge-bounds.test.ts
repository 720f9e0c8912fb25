import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { add, compare, multiply } from '../../../actors/terms/usd.ts';
import { plausiblePromptTokensMax } from '../../../gateway/inference/plausible-prompt-tokens.ts';
import { plausibleUsage } from '../../../gateway/inference/plausible-usage.ts';
import { UsageMeter } from '../../../gateway/inference/usage-meter.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { estimate, promptTokensHeld } from '../../../gateway/pricing/estimate.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { Dice, randomCharge, randomTariff } from '../pricing/random-charge.ts';
import { offer } from './stage.ts';

const it = bounded(test, 20_000);
/** Hold and charge are floored each, once. */
const FLOORED = '0.000000000000000000000002';

const PLAIN: Turn = {
  models: ['a/b'],
  messages: [],
  stream: false,
  sampling: {},
  preferences: { allowFallbacks: true },
};

it('whatever a provider reports about a text, its charge is at most twice the hold, under any tariff (reliability, X25)', () => {
  let unbelieved = 0;
  const property = fc.property(fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const tariff = randomTariff(dice);
    const { used, terms } = randomCharge(dice, tariff);
    const endpoint = { ...offer('a', 'http://127.0.0.1:1', { contextLength: 1 + dice.below(4_000) }), tariff };
    const prompt = { counted: dice.below(500), bound: 500 + dice.below(2_000) };
    const ceiling = 1 + dice.below(2_000);
    const hold = estimate(endpoint, {
      ...{ at: terms.at, promptTokensBound: prompt.bound, completionTokensMax: ceiling },
      ...{ media: null, inputImages: 0 },
    });
    const usage = plausibleUsage(used, plausiblePromptTokensMax(PLAIN, { endpoint: endpoint, prompt }), ceiling);
    if (usage !== used) unbelieved++;
    const promptTokens = usage.promptTokens ?? promptTokensHeld(endpoint, prompt.bound);
    const counted = Math.min(prompt.counted, promptTokensHeld(endpoint, prompt.bound));
    const billed = new UsageMeter(null).billed(usage, counted, ceiling);
    const { cost } = charge(tariff, billed, { at: terms.at, promptTokens, media: {} });
    return compare(cost, add(multiply(hold, 2), FLOORED)) <= 0;
  });
  fc.assert(property, { numRuns: 5_000 });
  assert.ok(unbelieved > 1_000, `${unbelieved} reports were beyond belief`);
});

test.run();
