/**
 * Deposits and adjustments. Their natural ids make repeats idempotent: a repeat returns the recorded amount, even if it
 * names another one.
 */
import type { Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { usd } from '../terms/usd.ts';
import type { AccountState } from './account-state.ts';
import { recordEntry, reply } from './effects.ts';
import type { AdjustmentRecord, DepositCredit } from './events.ts';

/** Row of the collections `deposit` and `adjustment`; also the answer. */
export interface PaidIn {
  readonly id: string;
  /** Exact decimal USD; an adjustment's may be negative. */
  readonly amount: string;
  readonly reason: string | null;
  /** Store time, ms. */
  readonly at: number;
  /** Sequence of its ledger entry. */
  readonly sequence: number;
  /** The account's balance after it. */
  readonly balance: string;
}

export const paidInCollection: Collection = { sort: (row: PaidIn) => row.at };

export function recordDeposit(state: AccountState, { deposit, at }: DepositCredit): Effect[] {
  const entry = state.last;
  if (entry === null) throw new Error('deposit has no ledger entry');
  const { amount, sequence, balance } = entry;
  return record(state, 'deposit', { id: deposit, amount, reason: null, at, sequence, balance });
}

export function recordAdjustment(state: AccountState, { adjustment, amount, reason, at }: AdjustmentRecord): Effect[] {
  const entry = state.last;
  if (entry === null) throw new Error('adjustment has no ledger entry');
  const { sequence, balance } = entry;
  return record(state, 'adjustment', {
    id: adjustment,
    amount: parseAdjustment(amount),
    reason,
    at,
    sequence,
    balance,
  });
}

/** The answer to a repeat. */
export function answerPaidIn(event: DepositCredit | AdjustmentRecord): Effect {
  return reply({ ...firstRow<PaidIn>(event, 'recorded'), repeated: true });
}

/** Canonical text of an amount that may have a minus sign. Throws on anything else. */
export function parseAdjustment(text: string): string {
  if (!text.startsWith('-')) return usd(text);
  const size = usd(text.slice(1));
  return size === '0' ? '0' : `-${size}`;
}

function record(state: AccountState, collection: 'deposit' | 'adjustment', row: PaidIn): Effect[] {
  return [
    { type: 'put', collection, id: row.id, body: plain(row) },
    recordEntry(state),
    reply({ ...row, repeated: false }),
  ];
}
