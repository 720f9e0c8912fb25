import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { add, compare, multiply } from '../../../actors/terms/usd.ts';
import { plausiblePromptTokensMax } from '../../../gateway/inference/plausible-prompt-tokens-max.ts';
import { plausibleUsage } from '../../../gateway/inference/plausible-usage.ts';
import { UsageMeter } from '../../../gateway/inference/usage-meter.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { estimate, promptTokensHeld } from '../../../gateway/pricing/estimate.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { Dice, randomCharge, randomTariff } from '../pricing/random-charge.ts';
import { boardEndpoint } from './stage.ts';

const it = bounded(test);
/** Hold and charge are each rounded down once. */
const FLOORED = '0.000000000000000000000002';

const PLAIN: Turn = {
  models: ['a/b'],
  messages: [],
  stream: false,
  sampling: {},
  preferences: { allowFallbacks: true },
};

it('the charge is at most twice the hold for any usage reported for a text, under any tariff (reliability, X25)', () => {
  let implausible = 0;
  const property = fc.property(fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const tariff = randomTariff(dice);
    const { used, terms } = randomCharge(dice, tariff);
    const endpoint = { ...boardEndpoint('a', 'http://127.0.0.1:1', { contextLength: 1 + dice.below(4_000) }), tariff };
    const prompt = { counted: dice.below(500), bound: 500 + dice.below(2_000) };
    const ceiling = 1 + dice.below(2_000);
    const hold = estimate(endpoint, {
      ...{ at: terms.at, promptTokensBound: prompt.bound, completionTokensMax: ceiling },
      ...{ media: null, inputImages: 0 },
    });
    const usage = plausibleUsage(used, plausiblePromptTokensMax(PLAIN, { endpoint: endpoint, prompt }), ceiling);
    if (usage !== used) implausible++;
    const promptTokens = usage.promptTokens ?? promptTokensHeld(endpoint, prompt.bound);
    const counted = Math.min(prompt.counted, promptTokensHeld(endpoint, prompt.bound));
    const billed = new UsageMeter(null).billed(usage, counted, ceiling);
    const { cost } = charge(tariff, billed, { at: terms.at, promptTokens, media: {} });
    return compare(cost, add(multiply(hold, 2), FLOORED)) <= 0;
  });
  fc.assert(property, { numRuns: 5_000 });
  assert.ok(implausible > 1_000, `${implausible} reports were implausible`);
});

test.run();
