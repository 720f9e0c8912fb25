import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { charge } from '../../../gateway/pricing/charge.ts';
import { estimate } from '../../../gateway/pricing/estimate.ts';
import { bounded } from '../../support/bounded.ts';
import { offer } from '../inference/stage.ts';

const it = bounded(test, 20_000);

/** Exact oracle: every rate in units of 10^-40, floored once to 10^-24. */
function oracle(rates: readonly (readonly [string, number])[]): string {
  const sum = rates.reduce((total, [rate, units]) => {
    const [whole = '', fraction = ''] = rate.split('.');
    return total + BigInt(whole + fraction.padEnd(40, '0')) * BigInt(units);
  }, 0n);
  const floored = (sum / 10n ** 16n).toString().padStart(25, '0');
  return `${floored.slice(0, -24)}.${floored.slice(-24)}`.replace(/\.?0+$/, '');
}

const rate = fc
  .tuple(fc.nat(999), fc.stringMatching(/^[0-9]{1,40}$/))
  .map(([whole, fraction]) => `${whole}.${fraction}`);

it('a charge is the exact sum of rates times units, floored once at 24 decimals', () => {
  fc.assert(
    fc.property(rate, rate, rate, fc.nat(1e8), fc.nat(1e8), (prompt, completion, request, p, c) => {
      const tariff = { id: 't', prompt, completion, request, discount: 0 };
      const { cost, unpriced } = charge(tariff, { promptTokens: p, completionTokens: c });
      return (
        cost ===
          oracle([
            [prompt, p],
            [completion, c],
            [request, 1],
          ]) && unpriced.length === 0
      );
    }),
    { numRuns: 2_000 },
  );
});

it('an undeclared price is unpriced and charged nothing, never zero in the books', () => {
  const tariff = { id: 't', completion: '0.5', discount: 0 };
  assert.equal(charge(tariff, { promptTokens: 3, completionTokens: 2 }), { cost: '1', unpriced: ['prompt'] });
  assert.equal(charge({ id: 't', discount: 0 }, { promptTokens: 3, completionTokens: 2 }), {
    cost: '0',
    unpriced: ['prompt', 'completion'],
  });
  assert.equal(charge({ id: 't', discount: 0 }, {}), { cost: '0', unpriced: [] });
});

it('the request price is charged once, whatever the counts', () => {
  assert.is(charge({ id: 't', request: '0.0001', discount: 0 }, {}).cost, '0.0001');
});

it('the estimate holds the bound of the prompt, at most the window, plus the ceiling', () => {
  const endpoint = offer('a', 'http://127.0.0.1:1', {
    contextLength: 1_000,
    pricing: { prompt: '0.01', completion: '0.02' },
  });
  assert.is(estimate(endpoint, 500, 100), '7');
  assert.is(estimate(endpoint, 5_000, 100), '12');
});

test.run();
