import { amount } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { Joined } from './joined.ts';

/** Each deposit is credited at most once, and exactly once if it was acknowledged. */
export function depositsOnce({ evidence }: Joined): Check {
  const check = new Checking('rule K46', 'deposits are credited once');
  const lines = new Map<string, number>();
  for (const line of evidence.ledger.entries) {
    if (line.type !== 'deposit') continue;
    const name = `${line.account} ${line.ref}`;
    lines.set(name, (lines.get(name) ?? 0) + 1);
  }
  for (const [name, count] of lines) check.expect(count === 1, () => `${name}: credited ${count} times`);
  for (const { account, id, amount: acknowledged } of evidence.deposits) {
    if (id === undefined) continue;
    const found = evidence.ledger.entries.find((line) => line.account === account && line.ref === id);
    check.expect(
      found !== undefined && amount(found.amount) === amount(acknowledged),
      () => `${account} ${id}: ${acknowledged} acknowledged, ledger has ${found?.amount ?? 'nothing'}`,
    );
  }
  return check.done();
}
