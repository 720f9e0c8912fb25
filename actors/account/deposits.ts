/**
 * Deposits and adjustments. Their natural ids make repeats idempotent: a repeat returns the recorded amount, even if it
 * names another one.
 */
import {
  assignOn,
  type Collection,
  type Effect,
  emitOn,
  guardOn,
  type RowRef,
  type Stamped,
} from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { firstRow, plain, reply } from '../terms/chart-tools.ts';
import { type DepositSource, paymentAddress } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import { add, isNegative, usd } from '../terms/usd.ts';
import { type AccountState, lastEntry, nextEntry, nextOf, recordEntry } from './account-state.ts';

/** `deposit` is the natural id: a repeat returns what was recorded. */
type DepositCredit = Stamped & {
  readonly type: 'deposit.credit';
  readonly deposit: string;
  readonly amount: string;
  /** From an operator: why. */
  readonly reason?: string;
  /** Recorded in the audit log, as the second person who approved it. */
  readonly by: Principal;
  readonly approvedBy?: string;
  /** Present for a payment, whose actor receives the outcome. */
  readonly source?: DepositSource;
};

/** `amount` may have a minus sign. `adjustment` is the natural id. */
type AdjustmentRecord = Stamped & {
  readonly type: 'adjustment.record';
  readonly adjustment: string;
  readonly amount: string;
  readonly reason: string;
  readonly by: Principal;
  readonly approvedBy?: string;
};
export type DepositEvent = DepositCredit | AdjustmentRecord;

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

/** For lists over all accounts: a column in which every row has the same value. */
export const PAID_IN_ALL = { column: 0, equals: '*' } as const;

export const paidInCollection: Collection = { sort: (row: PaidIn) => row.at, index: [() => PAID_IN_ALL.equals] };

export function credit(state: AccountState, { deposit: ref, amount: text, at }: DepositCredit): AccountState {
  const amount = usd(text);
  const last = nextEntry(state, { type: 'deposit', from: 'outside', to: 'balance', amount, at, ref, key: null });
  const next = nextOf(state);
  next.balance = last.balance;
  next.deposits = add(state.deposits, amount);
  next.last = last;
  return next;
}

/** A negative amount is deducted from the balance. */
export function adjust(state: AccountState, { adjustment: ref, amount: text, at }: AdjustmentRecord): AccountState {
  const amount = parseAdjustment(text);
  const entry = { type: 'adjustment', at, ref, key: null } as const;
  const last = isNegative(amount)
    ? nextEntry(state, { ...entry, from: 'balance', to: 'adjustments', amount: amount.slice(1) })
    : nextEntry(state, { ...entry, from: 'adjustments', to: 'balance', amount });
  const next = nextOf(state);
  next.balance = last.balance;
  next.adjustments = add(state.adjustments, amount);
  next.last = last;
  return next;
}

/** Canonical text of an amount that may have a minus sign. Throws on anything else. */
function parseAdjustment(text: string): string {
  if (!text.startsWith('-')) return usd(text);
  const size = usd(text.slice(1));
  return size === '0' ? '0' : `-${size}`;
}

function recordDeposit(state: AccountState, event: DepositCredit): Effect[] {
  const { deposit, at, source, reason = null } = event;
  const { amount, sequence, balance } = lastEntry(state);
  const row: PaidIn = { id: deposit, amount, reason, at, sequence, balance };
  if (source === undefined) return [...record(state, event, row), reply({ ...row, repeated: false })];
  return [...record(state, event, { ...row, source }), notifyPayment(row)];
}

/** Notifies the payment that its credit is recorded; nobody awaits an answer. */
function notifyPayment({ id, balance }: PaidIn): Effect {
  return { type: 'send', to: paymentAddress(id), event: { type: 'payment.credited', balance } };
}

function recordAdjustment(state: AccountState, event: AdjustmentRecord): Effect[] {
  const { adjustment, amount, reason, at } = event;
  const { sequence, balance } = lastEntry(state);
  const row = { id: adjustment, amount: parseAdjustment(amount), reason, at, sequence, balance };
  return [...record(state, event, row), reply({ ...row, repeated: false })];
}

/** The answer to a repeat. */
function answerPaidIn(_: AccountState, event: DepositEvent): Effect {
  const recorded = firstRow<PaidIn>(event, 'recorded');
  if (recorded === null) throw new Error('a repeat has no recorded row');
  const isPayment = event.type === 'deposit.credit' && event.source !== undefined;
  return isPayment ? notifyPayment(recorded) : reply({ ...recorded, repeated: true });
}

/** The row, the ledger entry and the entry of the audit log: one commit. */
function record(state: AccountState, event: DepositEvent, row: PaidIn): Effect[] {
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

function recordedRef(collection: string, id: string): readonly RowRef[] {
  return [{ as: 'recorded', collection, id, mayBeStored: true }];
}

export const rows = {
  'deposit.credit': ({ deposit }: DepositCredit) => recordedRef('deposit', deposit),
  'adjustment.record': ({ adjustment }: AdjustmentRecord) => recordedRef('adjustment', adjustment),
};

export const guards = {
  isRecorded: guardOn('*', (_: AccountState, event) => firstRow(event, 'recorded') !== null),
};

export const actions = {
  credit: assignOn('deposit.credit', credit),
  recordDeposit: emitOn('deposit.credit', recordDeposit),
  adjust: assignOn('adjustment.record', adjust),
  recordAdjustment: emitOn('adjustment.record', recordAdjustment),
  answerPaidIn: emitOn(['deposit.credit', 'adjustment.record'], answerPaidIn),
};
