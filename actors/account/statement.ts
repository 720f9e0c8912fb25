/** What an account says of itself: to its owner, and to an operator in sentences. */
import type { Effect, View } from '../runtime/index.ts';
import { isNegative } from '../terms/usd.ts';
import { reply } from './answers.ts';
import { available, type Book } from './book.ts';

/** Answer of `account.show`. Amounts are exact decimal USD, times store time in ms. */
export interface AccountView {
  readonly account: string;
  readonly name: string;
  readonly status: 'open' | 'suspended';
  readonly createdAt: number | null;
  readonly balance: string;
  readonly held: string;
  readonly available: string;
  readonly deposits: string;
  readonly charges: string;
  readonly adjustments: string;
  readonly holds: number;
  readonly keys: number;
  /** Sequence and hash of the newest ledger entry; 0 and null before the first. */
  readonly sequence: number;
  readonly hash: string | null;
  readonly lateSettles: number;
  readonly overshoots: number;
}

export function accountView(book: Book, status: AccountView['status']): AccountView {
  const { address: account, name, createdAt, balance, held, deposits, charges, adjustments } = book;
  const { holds, keys, lateSettles, overshoots } = book;
  return {
    account,
    name,
    status,
    createdAt,
    balance,
    held,
    available: available(book),
    deposits,
    charges,
    adjustments,
    holds,
    keys,
    sequence: book.last?.sequence ?? 0,
    hash: book.last?.hash ?? null,
    lateSettles,
    overshoots,
  };
}

/** Answer of `account.create`. `created` is false for a repeat. */
export function answerCreated(book: Book, created: boolean): Effect {
  return reply({ account: book.address, name: book.name, created });
}

export function explainAccount(view: View): readonly string[] {
  const book = view.context as unknown as Book;
  const left = available(book);
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
    `Balance ${book.balance} USD = ${book.deposits} deposited - ${book.charges} charged + ${book.adjustments} adjusted; ${left} USD can be held.`,
    book.holds === 0
      ? 'No request is running.'
      : `${book.holds} running ${book.holds === 1 ? 'request holds' : 'requests hold'} ${book.held} USD.`,
  );
  if (book.nextSweepAt !== null) {
    lines.push(`Holds without an outcome are released from ${new Date(book.nextSweepAt).toISOString()} on.`);
  }
  if (book.overshoots > 0) lines.push(`Alarm: ${book.overshoots} charges exceeded their hold.`);
  if (book.lateSettles > 0) lines.push(`Alarm: ${book.lateSettles} charges came after their hold was released.`);
  lines.push(
    book.last === null
      ? 'The ledger is empty.'
      : `The ledger has ${book.last.sequence} entries; the newest is a ${book.last.type} of ${book.last.amount} USD.`,
  );
  return lines;
}
