import type { AccountState } from '../../../actors/account/account-state.ts';
import { type HoldSettle, judgeSettle } from '../../../actors/account/settle-hold.ts';
import { verdictOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A client that disconnects during an answer is not charged for it: its hold expires. */
export const cancelledNotCharged: Mutation = {
  name: 'cancelled generation not charged',
  caughtBy: 48,
  kinds: accountWith({ guards: { settleIs: verdictOn('hold.settle', judged) } }),
};

function judged(account: AccountState, event: HoldSettle): ReturnType<typeof judgeSettle> {
  const verdict = judgeSettle(account, event);
  return event.settlement.cancelled && (verdict === 'charge' || verdict === 'late') ? 'unknown' : verdict;
}
