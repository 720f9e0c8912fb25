import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as usd from '../../../actors/terms/usd.ts';
import { bounded } from '../../support/bounded.ts';
import { floorAt, text, units } from '../../support/model/oracle.ts';

const it = bounded(test);

const amount = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
    fc.bigInt({ min: 0n, max: 10n ** 40n - 1n }),
    fc.nat({ max: 40 }),
  )
  .map(([whole, fraction, digits]) => {
    const decimals = fraction.toString().padStart(40, '0').slice(0, digits);
    return decimals === '' ? `${whole}` : `${whole}.${decimals}`;
  });

it('adds, subtracts and compares exactly like integers', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      assert.is(usd.add(a, b), text(units(a) + units(b)));
      assert.is(usd.subtract(a, b), text(units(a) - units(b)));
      const order = units(a) < units(b) ? -1 : units(a) > units(b) ? 1 : 0;
      assert.is(Math.sign(usd.compare(a, b)), order);
    }),
    { numRuns: 3_000 },
  );
});

it('floors a charge once, at 24 decimals, for any rates and units', () => {
  const line = fc.tuple(amount, fc.nat({ max: 2 ** 31 - 1 }));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      const sum = lines.map(([rate, count]) => usd.multiply(rate, count)).reduce(usd.add, '0');
      const expected = lines.reduce((total, [rate, count]) => total + units(rate) * BigInt(count), 0n);
      assert.is(sum, text(expected));
      assert.is(usd.chargeOf([{ rate: sum, units: 1 }]), text(floorAt(expected, 24)));
    }),
    { numRuns: 2_000 },
  );
});

it('adds a long chain of charges without drift', () => {
  const costs = fc.sample(amount, { numRuns: 20_000, seed: 42 });
  let sum = '0';
  let expected = 0n;
  for (const cost of costs) {
    sum = usd.add(sum, cost);
    expected += units(cost);
  }
  assert.is(sum, text(expected));
});

it('accepts only plain decimals as external amounts', () => {
  for (const [from, to] of [
    ['0', '0'],
    ['007.50', '7.5'],
    ['0.0000000000000000000000000000000000000001', '0.0000000000000000000000000000000000000001'],
    ['999999999999', '999999999999'],
  ] as const) {
    assert.is(usd.parseUsd(from), to);
  }
  const hostile = ['', ' 1', '1 ', '-1', '+1', '.5', '5.', '1e3', '0x10', '0b1', 'NaN', 'Infinity', '1,5', '1_0', '१'];
  for (const bad of [...hostile, '1000000000000', `0.${'1'.repeat(41)}`, '1\n', '1.5.2', `1${'0'.repeat(5_000_000)}`]) {
    assert.is(usd.parseUsd(bad), null, bad.slice(0, 20));
    assert.not(usd.isUsd(bad), bad.slice(0, 20));
    assert.throws(() => usd.usd(bad), RangeError as never);
  }
});

it('rejects a charge with more than 24 decimals', () => {
  assert.ok(usd.isCharge(`0.${'1'.repeat(24)}`));
  assert.not(usd.isCharge(`0.${'1'.repeat(25)}`));
  assert.not(usd.isCharge('-1'));
});

it('throws for text that is not an amount', () => {
  for (const bad of ['NaN', '1e3', '', 'Infinity', '--1', '0x1']) assert.throws(() => usd.add('1', bad));
  for (const count of [1.5, -1, Number.NaN, 2 ** 53]) assert.throws(() => usd.multiply('1', count));
});

it('writes the exact digits as a JSON number', () => {
  for (const [amountText, json] of [
    ['0.000000000000000000000001', '0.000000000000000000000001'],
    ['-0', '0'],
    ['-12.50', '-12.5'],
    ['100', '100'],
  ] as const) {
    assert.is(usd.toJsonNumberText(amountText), json);
    assert.type(JSON.parse(usd.toJsonNumberText(amountText)), 'number');
  }
  assert.ok(usd.isNegative('-0.1'));
  assert.ok(usd.isZero('0.000'));
  assert.not(usd.isZero('0.0001'));
});

it('units can be exact decimal text; other text throws', () => {
  assert.is(usd.chargeOf([{ rate: '0.1', units: '1.048577' }]), '0.1048577');
  assert.is(
    usd.chargeOf([
      { rate: '3', units: '0.5' },
      { rate: '1', units: 2 },
    ]),
    '3.5',
  );
  for (const units of ['-1', '1e3', '', '.5', ' 1', -1, 0.5, Number.NaN]) {
    assert.throws(() => usd.chargeOf([{ rate: '1', units }]), /not a count of units/);
  }
});

test.run();
