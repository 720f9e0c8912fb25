/** The account's view for its owner, and its explanation in sentences for an operator. */
import type { View } from '../runtime/index.ts';
import { isNegative } from '../terms/usd.ts';
import { type AccountState, available, type WorkspaceSums } from './account-state.ts';
import { budgeted } from './budgets.ts';
import { SLOTS_MAX } from './queue.ts';

type Shown = Omit<
  AccountState,
  'address' | 'last' | 'nextSweepAt' | 'storedBytes' | 'queue' | 'workspaces' | 'budgets' | 'dayRank'
>;

/** Answer of `account.show`. Amounts are exact decimal USD, times store time in ms. */
export interface AccountView extends Shown {
  readonly account: string;
  readonly status: 'open' | 'suspended';
  readonly available: string;
  /** Sequence and hash of the newest ledger entry; 0 and null before the first. */
  readonly sequence: number;
  readonly hash: string | null;
  /** What the workspaces with a budget spent and hold; null without any. */
  readonly budgets: WorkspaceSums | null;
}

export function accountView(state: AccountState, status: AccountView['status']): AccountView {
  const { address: account, last, nextSweepAt: _1, storedBytes: _2, queue: _3, workspaces: _4, ...rest } = state;
  const { dayRank: _5, ...shown } = rest;
  return {
    account,
    status,
    ...shown,
    available: available(state),
    sequence: last?.sequence ?? 0,
    hash: last?.hash ?? null,
    budgets: budgeted(state.budgets),
  };
}

export function explainAccount(view: View): readonly string[] {
  const state = view.context as unknown as AccountState;
  const left = available(state);
  const lines: string[] = [];
  if (view.state === 'suspended') {
    lines.push('This account is suspended: every request with any of its keys is answered 401 until it is resumed.');
  }
  if (isNegative(left) || left === '0') {
    lines.push(
      `Nothing is left to spend: new requests are answered 402 until a deposit raises ${left} USD above zero.`,
    );
  }
  lines.push(
    `Balance ${state.balance} USD = ${state.deposits} deposited - ${state.charges} charged + ${state.adjustments} adjusted; ${left} USD can be held.`,
    state.holds === 0
      ? 'No request is running.'
      : `${state.holds} running ${state.holds === 1 ? 'request holds' : 'requests hold'} ${state.held} USD.`,
  );
  for (const { batch, slots, wants } of state.queue) {
    lines.push(`Batch ${batch} uses ${slots} of ${SLOTS_MAX} slots and could use ${wants} more.`);
  }
  if (state.nextSweepAt !== null) {
    lines.push(`Holds without an outcome are released from ${new Date(state.nextSweepAt).toISOString()} on.`);
  }
  if (state.overshoots > 0) lines.push(`Alarm: ${state.overshoots} charges exceeded their hold.`);
  if (state.lateSettles > 0) lines.push(`Alarm: ${state.lateSettles} charges came after their hold was released.`);
  lines.push(
    state.last === null
      ? 'The ledger is empty.'
      : `The ledger has ${entries(state.last.sequence)}; the newest is ${ENTRIES[state.last.type]} of ${state.last.amount} USD.`,
  );
  return lines;
}

const ENTRIES = { deposit: 'a deposit', charge: 'a charge', adjustment: 'an adjustment' } as const;

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}
