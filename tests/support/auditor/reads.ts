import { amount } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { AccountRead } from './evidence.ts';
import type { Joined } from './joined.ts';
import { ReadLease } from './read-lease.ts';

/** Later reads on any node show at least what an earlier read showed, except within the read lease. */
export function readsNeverGoBack({ evidence }: Joined): Check {
  const check = new Checking('rule K45', 'reads never go back, on any node');
  const byAccount = new Map<string, AccountRead[]>();
  for (const read of evidence.reads ?? []) {
    byAccount.set(read.account, [...(byAccount.get(read.account) ?? []), read]);
  }
  const lease = new ReadLease(evidence.runtime?.moves ?? [], evidence.runtime?.readLeaseMs ?? 0);
  for (const [account, reads] of byAccount) {
    for (const later of reads) {
      const reaches = lease.reaches(later.shard, later.at, later.endAt) - (evidence.readsLagMs ?? 0);
      for (const earlier of reads) {
        if (earlier.endAt > reaches) continue;
        const holds =
          amount(later.used) >= amount(earlier.used) && amount(later.deposited) >= amount(earlier.deposited);
        check.expect(
          holds,
          () =>
            `${account}: ${earlier.node} showed ${earlier.used} of ${earlier.deposited} at ${earlier.endAt}, ${later.node} ${later.used} of ${later.deposited} at ${later.endAt}`,
        );
      }
    }
  }
  return check.done();
}
