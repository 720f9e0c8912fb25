/**
 * The notice of a low balance: an event of the account's feed, written in the commit of the ledger entry that takes the
 * balance below the threshold. The next one follows only after the balance was at the threshold again.
 */
import { assignOn, type Effect, emitOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { reply } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import type { Principal } from '../terms/principal.ts';
import { add, compare, subtract, usd } from '../terms/usd.ts';
import { type AccountState, nextOf } from './account-state.ts';

/** Sets the threshold of the notice of a low balance, exact decimal USD; null ends it. */
export type NoticeSet = Stamped & {
  readonly type: 'notice.set';
  readonly lowBalance: string | null;
  readonly by: Principal;
};

/** The object of the event `balance.low`. Exact decimal USD. */
export interface LowBalance {
  readonly balance: string;
  readonly threshold: string;
}

function setNotice(state: AccountState, { lowBalance }: NoticeSet): AccountState {
  const next = nextOf(state);
  next.lowBalance = lowBalance === null ? null : usd(lowBalance);
  return next;
}

/** The notice, when the newest ledger entry has taken the balance below the threshold. */
function noticeLow(state: AccountState): Effect[] {
  const { lowBalance, last } = state;
  if (lowBalance === null || last === null || compare(last.balance, lowBalance) >= 0) return [];
  const undo = last.to === 'balance' ? subtract : add;
  const before = undo(last.balance, last.amount);
  return compare(before, lowBalance) < 0 ? [] : [notice(state, lowBalance, last.at)];
}

/** Records the threshold. A balance below it is noticed at once. */
function recordNotice(state: AccountState, { by, at }: NoticeSet): Effect[] {
  const { lowBalance, balance, address } = state;
  const detail = { low_balance: lowBalance };
  const isLow = lowBalance !== null && compare(balance, lowBalance) < 0;
  return [
    recordAudit(address, { action: 'notice.set', target: address, by, detail }),
    ...(isLow ? [notice(state, lowBalance, at)] : []),
    reply({ lowBalance }),
  ];
}

function notice({ address, balance }: AccountState, threshold: string, at: number): Effect {
  const account = ownerOf(address);
  return putFeedEvent({
    id: account,
    account,
    type: 'balance.low',
    at,
    object: { balance, threshold } satisfies LowBalance,
  });
}

export const actions = {
  setNotice: assignOn('notice.set', setNotice),
  recordNotice: emitOn('notice.set', recordNotice),
  noticeLow: emitOn('*', noticeLow),
};
