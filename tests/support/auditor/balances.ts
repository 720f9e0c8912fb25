import { amount, text } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { AccountState, Evidence } from './evidence.ts';
import type { Joined } from './joined.ts';

/** Balance = deposits - charges + adjustments, at the end, at every sample, in every line, and over the API. */
export function balanceHolds({ evidence }: Joined): Check {
  const check = new Checking('rule K42', 'balance = deposits - charges');
  for (const account of evidence.ledger.accounts) {
    const lines = evidence.ledger.entries.filter((line) => line.account === account.address);
    const opening = evidence.ledger.openings.find((one) => one.account === account.address);
    let sum = amount(opening?.balance ?? '0');
    let used = amount(opening?.charges ?? '0');
    let deposited = amount(opening?.deposits ?? '0');
    for (const line of [...lines].sort((a, b) => a.sequence - b.sequence)) {
      const value = amount(line.amount);
      if (line.type === 'charge') used += value;
      if (line.type === 'deposit') deposited += value;
      sum += line.type === 'charge' ? -value : value;
      check.expect(
        sum === amount(line.balance),
        () => `${line.account} line ${line.sequence}: ${line.balance}, sum ${text(sum)}`,
      );
    }
    check.expect(
      sum === amount(account.balance),
      () => `${account.address}: balance ${account.balance}, lines give ${text(sum)}`,
    );
    for (const seen of evidence.credits.filter((credit) => credit.account === account.address)) {
      const same = amount(seen.deposited) === deposited && amount(seen.used) === used;
      check.expect(
        same,
        () =>
          `${account.address}: /credits shows ${seen.deposited} - ${seen.used}, ledger ${text(deposited)} - ${text(used)}`,
      );
    }
  }
  for (const sample of evidence.samples) {
    for (const account of sample.accounts) {
      const same = amount(account.balance) === amount(account.fromLedger);
      check.expect(
        same,
        () => `${account.address} at ${sample.at}: ${account.balance}, lines give ${account.fromLedger}`,
      );
    }
  }
  return check.done();
}

/** The held amount is the sum of the open holds and never exceeds the balance. */
export function holdsAreCovered({ evidence }: Joined): Check {
  const check = new Checking('rule K54', 'held = sum of open holds <= balance');
  const excess = excesses(evidence);
  for (const sample of evidence.samples) {
    for (const account of sample.accounts) {
      const held = amount(account.held);
      check.expect(
        held === amount(account.openHolds),
        () => `${account.address} at ${sample.at}: held ${account.held}, rows give ${account.openHolds}`,
      );
      check.expect(
        held <= amount(account.balance) + (excess.get(account.address) ?? 0n),
        () => `${account.address} at ${sample.at}: held ${account.held} of ${account.balance}`,
      );
    }
  }
  return check.done();
}

/** A balance is negative only by charges above their hold or after the release of their hold. */
export function negativeOnlyByExcess({ evidence }: Joined): Check {
  const check = new Checking('rule K44', 'balance negative only by recorded excess');
  const excess = excesses(evidence);
  const look = ({ address, balance }: AccountState, when: string): void =>
    check.expect(amount(balance) + (excess.get(address) ?? 0n) >= 0n, () => `${address} ${when}: ${balance}`);
  for (const account of evidence.ledger.accounts) look(account, 'at the end');
  for (const sample of evidence.samples) for (const account of sample.accounts) look(account, `at ${sample.at}`);
  return check.done();
}

/** Per account: the total charged beyond holds. */
function excesses(evidence: Evidence): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { account, row } of evidence.ledger.generations) {
    const cost = row.late && row.settlement !== null ? amount(row.settlement.cost) : amount(row.overshoot ?? '0');
    if (cost > 0n) sums.set(account, (sums.get(account) ?? 0n) + cost);
  }
  return sums;
}

/** Once the run is quiet, every hold is resolved exactly once. */
export function holdsAreResolved({ evidence }: Joined): Check {
  const check = new Checking('rule K55', 'every hold resolved exactly once');
  for (const account of evidence.ledger.accounts) {
    check.expect(amount(account.held) === 0n, () => `${account.address} still holds ${account.held}`);
  }
  for (const { row } of evidence.ledger.generations) {
    const settled = row.settlement !== null;
    const released = row.release !== null;
    check.expect(row.status !== 'running', () => `${row.generation} is still running (${row.amount} held)`);
    if (row.status === 'running') continue;
    const consistent = row.status === 'settled' ? settled && (!released || row.late) : released && !settled;
    check.expect(
      consistent,
      () => `${row.generation} is ${row.status}, settlement ${settled}, release ${released}, late ${row.late}`,
    );
  }
  return check.done();
}

/** The ledger's chain: consecutive lines without a gap, each hash over the line before. */
export function chainHolds({ evidence }: Joined): Check {
  const check = new Checking('rule K43', 'ledger gap-free and hash-chained');
  const next = new Map(evidence.ledger.openings.map(({ account, sequence }) => [account, sequence + 1]));
  const lines = [...evidence.ledger.entries].sort((a, b) => a.sequence - b.sequence);
  for (const line of lines) {
    const expected = next.get(line.account) ?? 1;
    check.expect(line.sequence === expected, () => `${line.account}: line ${line.sequence}, expected ${expected}`);
    next.set(line.account, line.sequence + 1);
  }
  for (const fault of evidence.ledger.chainFaults) check.expect(false, () => fault);
  return check.done();
}
