import type { AccountState } from '../../../actors/account/account-state.ts';
import { type HoldSettle, judgeSettle } from '../../../actors/account/settle-hold.ts';
import { verdictOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A settle of an attempt that no longer holds the money is charged like any other. */
export const staleSettleCharged: Mutation = {
  name: 'settle of an old attempt accepted',
  caughtBy: 6,
  kinds: accountWith({ guards: { settleIs: verdictOn('hold.settle', judged) } }),
};

function judged(account: AccountState, event: HoldSettle): ReturnType<typeof judgeSettle> {
  const verdict = judgeSettle(account, event);
  return verdict === 'stale' ? 'charge' : verdict;
}
