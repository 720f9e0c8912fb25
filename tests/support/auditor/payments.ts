import { amount } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { LedgerLine } from './evidence.ts';
import type { Joined } from './joined.ts';
import type { PaymentEvidence, PaymentSeen } from './payment-evidence.ts';

/**
 * What the facilitator settled is credited once, to the account that presented it, with its amount;
 * nothing else is credited, and an acknowledged credit is in the ledger.
 */
export function paymentsCreditOnce(payments: PaymentEvidence, { evidence }: Joined): Check {
  const check = new Checking('rule K47', 'a settled payment is credited once, any other never');
  const presented = new Map(payments.presented.map((one) => [nameOf(one), one]));
  const lines = linesByRef(evidence.ledger.entries);
  for (const settled of payments.settled) {
    const { transaction } = settled;
    const paid = payments.deposits.filter(({ source }) => source?.transaction === transaction);
    const seen = presented.get(nameOf(settled));
    check.expect(paid.length === 1, () => `${transaction}: ${paid.length} deposits`);
    const [deposit] = paid;
    if (deposit === undefined) continue;
    check.expect(
      deposit.address === seen?.account && atoms(deposit.amount, payments.decimals) === settled.amount,
      () => `${transaction}: ${deposit.amount} to ${deposit.address}, settled ${settled.amount} for ${seen?.account}`,
    );
    const credits = lines.get(`${deposit.address} ${deposit.id}`) ?? [];
    check.expect(
      credits.length === 1 && amount(credits[0]?.amount ?? '0') === amount(deposit.amount),
      () => `${deposit.id}: ledger lines ${credits.map((line) => line.amount).join(', ') || 'none'}`,
    );
  }
  const settled = new Set(payments.settled.map(({ transaction }) => transaction));
  for (const { id, source } of payments.deposits) {
    if (source !== undefined) check.expect(settled.has(source.transaction), () => `${id}: never settled`);
  }
  for (const one of payments.presented) expectTold(check, one, lines);
  for (const { id, status } of payments.payments) {
    check.expect(status === 'credited', () => `${id} is ${status} at the end`);
  }
  return check.done();
}

/** All repeats are told the same credit, and the ledger has it. */
function expectTold(
  check: Checking,
  { account, nonce, credited }: PaymentSeen,
  lines: ReadonlyMap<string, readonly LedgerLine[]>,
): void {
  const told = new Set(credited.map(({ id, balance }) => `${id} ${balance}`));
  check.expect(told.size <= 1, () => `${nonce}: told ${[...told].join(' and ')}`);
  for (const { id } of credited.slice(0, 1)) {
    check.expect(lines.has(`${account} ${id}`), () => `${id}: told as credited, not in the ledger of ${account}`);
  }
}

function linesByRef(entries: readonly LedgerLine[]): ReadonlyMap<string, readonly LedgerLine[]> {
  const found = new Map<string, LedgerLine[]>();
  for (const line of entries) {
    if (line.type !== 'deposit') continue;
    const name = `${line.account} ${line.ref}`;
    found.set(name, [...(found.get(name) ?? []), line]);
  }
  return found;
}

function nameOf({ payer, nonce }: { readonly payer: string; readonly nonce: string }): string {
  return `${payer} ${nonce}`.toLowerCase();
}

/** 24 decimals of the auditor's amounts. */
function atoms(usd: string, decimals: number): string {
  return (amount(usd) / 10n ** BigInt(24 - decimals)).toString();
}
