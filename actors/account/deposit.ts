/**
 * Money that comes in, and corrections. Their natural ids make every repeat harmless: a recorded one is answered as it
 * was recorded, whatever amount the repeat names.
 */
import type { Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { usd } from '../terms/usd.ts';
import { recordEntry, reply } from './answers.ts';
import type { Book } from './book.ts';
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
  /** The account's balance behind it. */
  readonly balance: string;
}

export const paidInCollection: Collection = { sort: (row: PaidIn) => row.at };

export function recordDeposit(book: Book, { deposit, at }: DepositCredit): Effect[] {
  const entry = book.last;
  if (entry === null) throw new Error('a deposit without its ledger entry');
  const { amount, sequence, balance } = entry;
  return record(book, 'deposit', { id: deposit, amount, reason: null, at, sequence, balance });
}

export function recordAdjustment(book: Book, { adjustment, amount, reason, at }: AdjustmentRecord): Effect[] {
  const entry = book.last;
  if (entry === null) throw new Error('an adjustment without its ledger entry');
  const { sequence, balance } = entry;
  return record(book, 'adjustment', { id: adjustment, amount: parseAdjustment(amount), reason, at, sequence, balance });
}

/** The answer to a repeat. */
export function answerPaidIn(event: DepositCredit | AdjustmentRecord): Effect {
  return reply({ ...firstRow<PaidIn>(event, 'recorded'), repeated: true });
}

/** Canonical text of an amount that may carry a minus sign. Throws on anything else. */
export function parseAdjustment(text: string): string {
  if (!text.startsWith('-')) return usd(text);
  const size = usd(text.slice(1));
  return size === '0' ? '0' : `-${size}`;
}

function record(book: Book, collection: 'deposit' | 'adjustment', row: PaidIn): Effect[] {
  return [
    { type: 'put', collection, id: row.id, body: plain(row) },
    recordEntry(book),
    reply({ ...row, repeated: false }),
  ];
}
