import type { Cluster, RowReader } from '../runtime/index.ts';
import { accountAddress } from '../terms/ids.ts';
import { add } from '../terms/usd.ts';
import type { BudgetInterval } from '../terms/workspace.ts';
import type { Credential } from './credential.ts';
import { pageOfKeys } from './find-key.ts';
import { showKey } from './key.ts';

/** Keys of one workspace whose spend a new budget begins with, at most. */
const KEYS_SUMMED_MAX = 10_000;
const ASKED_AT_ONCE = 20;

export interface SpentParts {
  readonly cluster: Pick<Cluster, 'ask'>;
  readonly rows: Pick<RowReader, 'rows'>;
  readonly withinMs: number;
}

/** What the inference keys of a workspace have spent in the current windows; null names the default workspace. */
export async function spentBy(
  { account, workspace }: { readonly account: string; readonly workspace: string | null },
  { cluster, rows, withinMs }: SpentParts,
): Promise<Record<BudgetInterval, string>> {
  const spent = { daily: '0', weekly: '0', monthly: '0', lifetime: '0' };
  const isListed = (key: Credential): boolean => key.kind === 'inference' && (key.workspace ?? null) === workspace;
  const query = { account: accountAddress(account), isListed, offset: 0, limit: KEYS_SUMMED_MAX };
  const keys = await pageOfKeys(rows, query);
  for (let from = 0; from < keys.length; from += ASKED_AT_ONCE) {
    const some = keys.slice(from, from + ASKED_AT_ONCE);
    for (const view of await Promise.all(some.map(({ key }) => showKey(cluster, key, withinMs)))) {
      spent.daily = add(spent.daily, view.usageDaily);
      spent.weekly = add(spent.weekly, view.usageWeekly);
      spent.monthly = add(spent.monthly, view.usageMonthly);
      spent.lifetime = add(spent.lifetime, view.usage);
    }
  }
  return spent;
}
