import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { putSpendDay, rankedDay, rankOf } from '../../../actors/account/spend-day.ts';
import { add } from '../../../actors/terms/usd.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const DAY_MS = 24 * 3_600_000;

it('a rank grows with its amount', () => {
  const amounts = [
    '0',
    '0.000001',
    '0.0000015',
    '0.002',
    '0.04',
    '0.05',
    '0.9',
    '1',
    '1.4',
    '1.5',
    '9.99',
    '10',
    '123',
    '150',
  ];
  const ranks = amounts.map(rankOf);
  assert.equal(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
  assert.is(rankOf('1'), rankOf('1.4'));
  assert.is.not(rankOf('1.4'), rankOf('1.5'));
});

it('the row of a day is written when the rank rises, and anew on the next day', () => {
  let known: Parameters<typeof putSpendDay>[1] = null;
  let charges = '7';
  let written = 0;
  const charge = (at: number): void => {
    const after = add(charges, '0.01');
    known = rankedDay(known, { before: charges, after }, at);
    charges = after;
    written += putSpendDay('account:acct_1', known, charges).length;
  };
  for (let times = 0; times < 1_000; times++) charge(DAY_MS);
  assert.ok(written > 10 && written < 60, `${written} rows were written`);
  const before = written;
  charge(2 * DAY_MS);
  assert.is(written, before + 1);
  const [row] = putSpendDay('account:acct_1', known, charges) as readonly { readonly body: object }[];
  assert.equal(row?.body, { account: 'account:acct_1', day: 2 * DAY_MS, rank: rankOf('0.01') });
});

test.run();
