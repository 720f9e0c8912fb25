import { amount, text } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { KeyDeclared } from './evidence.ts';
import { type Joined, nonceOf } from './joined.ts';

const DAY_MS = 86_400_000;

/** A key's charges and open holds stay within its limit per window; only recorded excess may exceed it. */
export function keyLimitsHold({ evidence }: Joined): Check {
  const check = new Checking('rule K61', 'key limit >= charges of the window + open holds');
  const limited = new Map((evidence.keys ?? []).filter((key) => key.limit !== null).map((key) => [key.address, key]));
  const excess = new Map<string, bigint>();
  for (const { row } of evidence.ledger.generations) {
    const cost = row.late && row.settlement !== null ? amount(row.settlement.cost) : amount(row.overshoot ?? '0');
    excess.set(row.key, (excess.get(row.key) ?? 0n) + cost);
  }
  for (const sample of evidence.samples) {
    for (const sum of sample.keys ?? []) {
      const key: KeyDeclared | undefined = limited.get(sum.key);
      if (key === undefined) continue;
      const spent = key.limitWindow === 'daily' ? sum.spentToday : sum.spent;
      const total = amount(spent) + amount(sum.held);
      check.expect(
        total <= amount(key.limit ?? '0') + (excess.get(sum.key) ?? 0n),
        () => `${sum.key} at ${sample.at}: ${spent} spent and ${sum.held} held, limit ${key.limit}`,
      );
    }
  }
  return check.done();
}

/** The usage that a key reports is the sum of its charges, in total and today; nothing is held any more. */
export function usageIsTheCharges({ evidence }: Joined): Check {
  const check = new Checking('rule K64', 'usage of a key = its charges');
  for (const { key, at, usage, usageDaily, held } of evidence.usages ?? []) {
    const today = at - (at % DAY_MS);
    let [all, daily] = [0n, 0n];
    for (const { row } of evidence.ledger.generations) {
      if (row.key !== key || row.settlement === null) continue;
      all += amount(row.settlement.cost);
      if ((row.endedAt ?? 0) >= today) daily += amount(row.settlement.cost);
    }
    check.expect(amount(usage) === all, () => `${key} reports ${usage}, charges ${text(all)}`);
    check.expect(amount(usageDaily) === daily, () => `${key} reports ${usageDaily} today, charges ${text(daily)}`);
    if (held !== undefined) check.expect(amount(held) === 0n, () => `${key} still holds ${held}`);
  }
  return check.done();
}

/** Only inference requests hold or pay, those of jobs among them; management keys and reads never do. */
export function onlyTurnsHold({ evidence, operationByNonce }: Joined): Check {
  const check = new Checking('rule K12', 'only requests for inference hold');
  const managing = new Set((evidence.keys ?? []).filter((key) => key.kind === 'management').map((key) => key.address));
  const lines = new Set(evidence.batches?.submissions.flatMap((batch) => batch.lines.map(({ customId }) => customId)));
  for (const { row } of evidence.ledger.generations) {
    check.expect(!managing.has(row.key), () => `${row.generation} belongs to ${row.key}, a management key`);
    const nonce = nonceOf(row);
    const isUnnamed = nonce === null && evidence.isPartlyUnnamed === true;
    const known = isUnnamed || operationByNonce.has(nonce ?? '') || lines.has(nonce ?? '');
    check.expect(known, () => `${row.generation}: no request asked for it (${nonceOf(row)})`);
  }
  return check.done();
}
