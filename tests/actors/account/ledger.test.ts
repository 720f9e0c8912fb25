import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyAccount } from '../../../actors/account/account-state.ts';
import { adjust, credit } from '../../../actors/account/deposits.ts';
import { type LedgerEntry, sealEntry } from '../../../actors/account/ledger.ts';
import { charge, type HoldSettle } from '../../../actors/account/settle-hold.ts';
import { sequenceId } from '../../../actors/terms/audit.ts';
import { bounded } from '../../support/bounded.ts';
import { TESTER } from '../../support/tester.ts';
import { hashEntry, verifyLedger } from '../../support/verify-ledger.ts';

const it = bounded(test);

function entries(): LedgerEntry[] {
  const written: LedgerEntry[] = [];
  let state = emptyAccount('account:acct_1');
  const keep = (next: typeof state): void => {
    state = next;
    written.push(next.last as LedgerEntry);
  };
  const stamped = { self: state.address, rows: {} };
  const adjustment = { ...stamped, type: 'adjustment.record', by: TESTER, reason: 'a test' } as const;
  keep(credit(state, { ...stamped, type: 'deposit.credit', by: TESTER, deposit: 'dep-1', amount: '10', at: 1 }));
  keep(charge(state, settled('gen-1', '0.25')));
  keep(charge(state, settled('gen-2', '0')));
  keep(adjust(state, { ...adjustment, adjustment: 'adj-1', amount: '-1', at: 3 }));
  keep(adjust(state, { ...adjustment, adjustment: 'adj-2', amount: '0.5', at: 4 }));
  return written;
}

/** The charge of a hold that was released before. */
function settled(generation: string, cost: string): HoldSettle {
  const row = { generation, key: 'key:acct_1/key_1', status: 'released', amount: '1' };
  const event = { type: 'hold.settle', at: 2, self: '', rows: { generation: [{ id: generation, body: row }] } };
  return { ...event, settlement: { generation, cost } } as unknown as HoldSettle;
}

it('verifies a valid ledger and returns its totals (rule K43)', () => {
  assert.equal(verifyLedger(entries()), {
    sound: true,
    entries: 5,
    balance: '9.25',
    deposits: '10',
    charges: '0.25',
    adjustments: '-0.5',
  });
  assert.ok(verifyLedger([]).sound);
});

it('ids of entries sort in the order of their sequence numbers', () => {
  assert.ok(sequenceId(9) < sequenceId(10));
  assert.is(sequenceId(1), '000000000001');
});

it("an entry's hash is the verified one for any characters in its names", () => {
  const units = fc.array(fc.nat({ max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));
  const name = fc.oneof(units, fc.string(), fc.constantFrom('a"b', '\\', '\u2028', '\n', 'key:acct_1/key_1'));
  fc.assert(
    fc.property(name, name, fc.option(name), fc.nat(), (account, ref, key, at) => {
      const from = { account, sequence: 7, type: 'charge', from: 'balance', to: 'revenue', amount: '0.5' } as const;
      const entry = { ...from, at: 1.7e12 + at, ref, key, balance: '-1.25', previous: 'f'.repeat(64) };
      assert.equal(sealEntry(entry), { ...entry, hash: hashEntry(entry) });
    }),
    { numRuns: 2_000 },
  );
});

it('detects every change of any member of any entry (rule K43)', () => {
  for (let at = 0; at < 5; at++) {
    for (const member of Object.keys(entries()[0] as object)) {
      const forged = entries();
      const entry = forged[at] as LedgerEntry;
      const value = entry[member as keyof LedgerEntry];
      forged[at] = { ...entry, [member]: typeof value === 'number' ? value + 1 : `${value}1` };
      assert.not(verifyLedger(forged).sound, `${member} of entry ${at + 1}`);
    }
  }
});

it('detects gaps, swaps, missing first entries and second charges, even with recomputed hashes (rule K43)', () => {
  const whole = entries();
  assert.not(verifyLedger(whole.filter((_, i) => i !== 2)).sound);
  assert.not(verifyLedger(whole.slice(1)).sound);
  assert.not(verifyLedger([whole[1], whole[0], ...whole.slice(2)] as LedgerEntry[]).sound);
  const twice = {
    ...(whole[4] as LedgerEntry),
    type: 'charge' as const,
    from: 'balance',
    to: 'revenue',
  } as LedgerEntry;
  const forged = { ...twice, ref: 'gen-1', amount: '0', balance: '8.75', sequence: 5 };
  const verdict = verifyLedger([...whole.slice(0, 4), { ...forged, hash: hashEntry(forged) }]);
  assert.equal(verdict, { sound: false, sequence: 5, reason: 'second charge gen-1' });
});

test.run();
