/**
 * Deposits and adjustments. Their natural ids make repeats idempotent: a repeat returns the recorded amount, even if it
 * names another one.
 */
import type { Collection, Effect } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain } from '../terms/only.ts';
import { type DepositSource, paymentAddress } from '../terms/payment.ts';
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
  /** Absent for a deposit by an operator. */
  readonly source?: DepositSource;
}

export const paidInCollection: Collection = { sort: (row: PaidIn) => row.at };

export function recordDeposit(state: AccountState, event: DepositCredit): Effect[] {
  const { deposit, at, source } = event;
  const entry = state.last;
  if (entry === null) throw new Error('deposit has no ledger entry');
  const { amount, sequence, balance } = entry;
  const row: PaidIn = { id: deposit, amount, reason: event.reason ?? null, at, sequence, balance };
  if (source === undefined) return [...record(state, event, row), reply({ ...row, repeated: false })];
  return [...record(state, event, { ...row, source }), tellPayment(row)];
}

/** The payment learns that it is in the ledger. Nobody has asked: no answer is sent. */
function tellPayment({ id, balance }: Pick<PaidIn, 'id' | 'balance'>): Effect {
  return { type: 'send', to: paymentAddress(id), event: { type: 'payment.credited', balance } };
}

export function recordAdjustment(state: AccountState, event: AdjustmentRecord): Effect[] {
  const { adjustment, amount, reason, at } = event;
  const entry = state.last;
  if (entry === null) throw new Error('adjustment has no ledger entry');
  const { sequence, balance } = entry;
  const row = { id: adjustment, amount: parseAdjustment(amount), reason, at, sequence, balance };
  return [...record(state, event, row), reply({ ...row, repeated: false })];
}

/** The answer to a repeat. */
export function answerPaidIn(event: DepositCredit | AdjustmentRecord): Effect {
  const recorded = firstRow<PaidIn>(event, 'recorded');
  if (recorded === null) throw new Error('a repeat has no recorded row');
  const isPayment = event.type === 'deposit.credit' && event.source !== undefined;
  return isPayment ? tellPayment(recorded) : reply({ ...recorded, repeated: true });
}

/** Canonical text of an amount that may have a minus sign. Throws on anything else. */
export function parseAdjustment(text: string): string {
  if (!text.startsWith('-')) return usd(text);
  const size = usd(text.slice(1));
  return size === '0' ? '0' : `-${size}`;
}

/** The row, the ledger entry and the entry of the audit log: one commit. */
function record(state: AccountState, event: DepositCredit | AdjustmentRecord, row: PaidIn): Effect[] {
  const collection = event.type === 'deposit.credit' ? 'deposit' : 'adjustment';
  const { id, amount, reason, source } = row;
  const detail = { amount, ...(reason === null ? {} : { reason }), ...(source === undefined ? {} : { source }) };
  const approved = event.approvedBy === undefined ? {} : { approved_by: event.approvedBy };
  return [
    { type: 'put', collection, id, body: plain(row) },
    recordEntry(state),
    recordAudit(state.address, { action: event.type, target: id, by: event.by, detail: { ...detail, ...approved } }),
  ];
}
