import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { add, compare, multiply } from '../../../actors/terms/usd.ts';
import { plausibleUsage, UsageMeter } from '../../../gateway/inference/usage-meter.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { estimate } from '../../../gateway/pricing/estimate.ts';
import { bounded } from '../../support/bounded.ts';
import { boardEndpoint } from '../../support/model/endpoints.ts';
import { Dice, randomCharge, randomTariff } from '../pricing/random-charge.ts';

const it = bounded(test);
/** Hold and charge are each rounded down once. */
const FLOORED = '0.000000000000000000000002';

it('the charge is at most twice the hold, unless more prompt tokens are reported than held: then twice what the most plausible prompt costs (rule K74)', () => {
  let implausible = 0;
  let beyond = 0;
  const property = fc.property(fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const tariff = randomTariff(dice);
    const { used, terms } = randomCharge(dice, tariff);
    const endpoint = { ...boardEndpoint('a', 'http://127.0.0.1:1', { contextLength: 1 + dice.below(4_000) }), tariff };
    const window = endpoint.contextLength;
    const counted = Math.min(dice.below(500), window);
    const held = Math.min(window, 500 + dice.below(2_000));
    const ceiling = 1 + dice.below(2_000);
    const promptTokensMax = Math.min(window, counted * 2 + dice.below(1_000));
    const usage = plausibleUsage(used, { promptTokensMax, completionTokensMax: ceiling });
    if (usage !== used) implausible++;
    const promptTokens = usage.promptTokens ?? counted;
    if (promptTokens > held) beyond++;
    const hold = estimate(endpoint, {
      ...{ at: terms.at, promptTokensHeld: promptTokens > held ? promptTokensMax : held, completionTokensMax: ceiling },
      ...{ media: null, inputImages: 0 },
    });
    const billed = new UsageMeter(null).billed(usage, counted, ceiling);
    const { cost } = charge(tariff, billed, { at: terms.at, promptTokens, media: {} });
    return compare(cost, add(multiply(hold, 2), FLOORED)) <= 0;
  });
  fc.assert(property, { numRuns: 5_000 });
  assert.ok(implausible > 1_000, `${implausible} reports were implausible`);
  assert.ok(beyond > 20, `${beyond} reports were beyond the hold`);
});

test.run();
