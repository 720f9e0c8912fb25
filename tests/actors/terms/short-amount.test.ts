import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as short from '../../../actors/terms/short-amount.ts';
import { bounded } from '../../support/bounded.ts';
import { text, units } from '../../support/model/oracle.ts';

const it = bounded(test);

/** Biased to the edges: zero, all nines, only one of the parts. */
const digits = (length: number) =>
  fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** BigInt(length) - 1n }),
    fc.constantFrom(0n, 1n, 10n ** BigInt(length) - 1n, 10n ** BigInt(length - 1)),
  );

const amount = fc.tuple(digits(12), digits(15), fc.nat({ max: 15 })).map(([whole, parts, length]) => {
  const decimals = parts.toString().padStart(15, '0').slice(0, length);
  return decimals === '' ? `${whole}` : `${whole}.${decimals}`;
});

it('short amounts are added, subtracted and compared exactly like integers', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      assert.ok(short.isShort(a));
      assert.is(short.rewritten(a), text(units(a)));
      assert.is(short.sum(a, b), text(units(a) + units(b)));
      const left = units(a) - units(b);
      assert.is(short.difference(a, b), left < 0n ? null : text(left));
      assert.is(Math.sign(short.order(a, b) ?? Number.NaN), left < 0n ? -1 : left > 0n ? 1 : 0);
    }),
    { numRuns: 10_000 },
  );
});

it('a sum of products is exact or left to decimal.js', () => {
  const line = fc.record({
    rate: fc.oneof(amount, fc.constantFrom('0.00000015', '0.000000000000001', '0.999999999999999', '3')),
    units: fc.oneof(fc.nat({ max: 200_000 }), fc.maxSafeNat(), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
  });
  let answered = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      const sum = short.sumOfProducts(lines);
      if (sum === null) return;
      answered++;
      assert.is(sum, text(lines.reduce((total, { rate, units: count }) => total + units(rate) * BigInt(count), 0n)));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(answered > 2_000, `${answered} were short`);
});

it('a running sum stays exact and returns null once it is too long', () => {
  let sum = '0';
  let expected = 0n;
  for (const one of fc.sample(amount, { numRuns: 20_000, seed: 7 })) {
    const less = short.difference(sum, one);
    const next = less ?? short.sum(sum, one);
    if (next === null) {
      assert.ok(expected >= units('1000000000000'));
      [sum, expected] = ['0', 0n];
      continue;
    }
    expected += less === null ? units(one) : -units(one);
    sum = next;
    assert.is(sum, text(expected));
  }
});

it('long, negative and invalid amounts are not short', () => {
  const long = ['1000000000000', '0.0000000000000001', `0.${'1'.repeat(24)}`, `${'0'.repeat(13)}1`];
  const bad = [
    '',
    '-1',
    '-0',
    '+1',
    '.5',
    '5.',
    '.',
    '1e3',
    ' 1',
    '1 ',
    '1.5.2',
    '1,5',
    '0x10',
    'NaN',
    '١',
    '1\n',
    '1.٥',
  ];
  for (const none of [...long, ...bad]) {
    assert.not(short.isShort(none), none);
    assert.is(short.rewritten(none), null, none);
    for (const found of [short.sum(none, '1'), short.difference('1', none), short.order(none, '1')]) {
      assert.is(found, null, none);
    }
    assert.is(short.sumOfProducts([{ rate: none, units: 1 }]), null, none);
  }
  for (const count of [1.5, -1, Number.NaN, 2 ** 53, '1']) {
    assert.is(short.sumOfProducts([{ rate: '1', units: count }]), null);
  }
});

test.run();
