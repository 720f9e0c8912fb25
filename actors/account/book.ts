/**
 * What an account keeps of itself: sums, counters and its newest ledger entry, never a collection. Every function is pure
 * and returns the next book; balance = deposits - charges + adjustments holds behind each of them.
 */
import { add, isNegative, subtract } from '../terms/usd.ts';
import { LEDGER_ROOT, type LedgerEntry, type LedgerSide, sealEntry } from './ledger.ts';

export interface Book {
  /** Address of the account. */
  readonly address: string;
  readonly name: string;
  /** Store time in ms; null only inside the step that creates it. */
  readonly createdAt: number | null;
  /** Exact decimal USD each. */
  readonly balance: string;
  readonly held: string;
  readonly deposits: string;
  readonly charges: string;
  readonly adjustments: string;
  /** Holds that make up `held`. */
  readonly holds: number;
  readonly keys: number;
  readonly last: LedgerEntry | null;
  /** When the sweep of overdue holds is due; null while it is not scheduled. */
  readonly nextSweepAt: number | null;
  /** Settles that came after their release, and charges above their hold: each raises an alarm. */
  readonly lateSettles: number;
  readonly overshoots: number;
}

export function emptyBook(address: string): Book {
  return {
    address,
    name: '',
    createdAt: null,
    balance: '0',
    held: '0',
    deposits: '0',
    charges: '0',
    adjustments: '0',
    holds: 0,
    keys: 0,
    last: null,
    nextSweepAt: null,
    lateSettles: 0,
    overshoots: 0,
  };
}

/**
 * The next book, to be changed before anybody sees it. Member by member, so that all books have one shape: V8 gives what is
 * spread a shape of its own, and what is spread from that another, until each spread and each look at a member takes its
 * slow path (Node 20: 1 to 2 us a step).
 */
function nextOf(book: Book): { -readonly [member in keyof Book]: Book[member] } {
  return {
    address: book.address,
    name: book.name,
    createdAt: book.createdAt,
    balance: book.balance,
    held: book.held,
    deposits: book.deposits,
    charges: book.charges,
    adjustments: book.adjustments,
    holds: book.holds,
    keys: book.keys,
    last: book.last,
    nextSweepAt: book.nextSweepAt,
    lateSettles: book.lateSettles,
    overshoots: book.overshoots,
  };
}

/** The book of an account that has just been made. */
export function named(book: Book, name: string, createdAt: number): Book {
  const next = nextOf(book);
  next.name = name;
  next.createdAt = createdAt;
  return next;
}

/** The sweep is due at `nextSweepAt`, or not at all. */
export function sweptTill(book: Book, nextSweepAt: number | null): Book {
  const next = nextOf(book);
  next.nextSweepAt = nextSweepAt;
  return next;
}

/** What may still be held: balance without open holds. May be negative after a charge above its hold. */
export function available(book: Book): string {
  return subtract(book.balance, book.held);
}

/** A hold more: `amount` joins the sum, and the sweep is due at `deadlineAt` at the latest. */
export function withHold(book: Book, amount: string, deadlineAt: number): Book {
  const next = nextOf(book);
  next.held = add(book.held, amount);
  next.holds = book.holds + 1;
  next.nextSweepAt = earlier(book.nextSweepAt, deadlineAt);
  return next;
}

/** A hold in place of another: the sum moves by the difference, which may be negative. */
export function withRaise(book: Book, delta: string, deadlineAt: number): Book {
  const next = nextOf(book);
  next.held = add(book.held, delta);
  next.nextSweepAt = earlier(book.nextSweepAt, deadlineAt);
  return next;
}

/** The sweep is due at `dueAt` at the latest. */
export function dueBy(book: Book, dueAt: number): Book {
  const next = nextOf(book);
  next.nextSweepAt = earlier(book.nextSweepAt, dueAt);
  return next;
}

/** `holds` holds less, `amount` in all. */
export function withoutHolds(book: Book, amount: string, holds: number): Book {
  const next = nextOf(book);
  next.held = subtract(book.held, amount);
  next.holds = book.holds - holds;
  return next;
}

export interface Charge {
  readonly cost: string;
  readonly at: number;
  readonly generation: string;
  readonly key: string;
  /** What was held for it, and goes; null when that had been let go before. */
  readonly held: string | null;
  readonly overshoot: boolean;
}

export function withCharge(book: Book, charge: Charge): Book {
  const { cost, at, generation, key, held } = charge;
  const last = append(book, {
    type: 'charge',
    from: 'balance',
    to: 'revenue',
    amount: cost,
    at,
    ref: generation,
    key,
  });
  const next = nextOf(book);
  next.balance = last.balance;
  next.charges = add(book.charges, cost);
  next.last = last;
  if (charge.overshoot) next.overshoots++;
  if (held === null) next.lateSettles++;
  else {
    next.held = subtract(book.held, held);
    next.holds--;
  }
  return next;
}

export function withDeposit(book: Book, deposit: { id: string; amount: string; at: number }): Book {
  const { id: ref, amount, at } = deposit;
  const last = append(book, { type: 'deposit', from: 'outside', to: 'balance', amount, at, ref, key: null });
  const next = nextOf(book);
  next.balance = last.balance;
  next.deposits = add(book.deposits, amount);
  next.last = last;
  return next;
}

/** `amount` may be negative: it then leaves the balance. */
export function withAdjustment(book: Book, adjustment: { id: string; amount: string; at: number }): Book {
  const { id: ref, amount, at } = adjustment;
  const taken = isNegative(amount);
  const [from, to]: [LedgerSide, LedgerSide] = taken ? ['balance', 'adjustments'] : ['adjustments', 'balance'];
  const size = taken ? amount.slice(1) : amount;
  const last = append(book, { type: 'adjustment', from, to, amount: size, at, ref, key: null });
  const next = nextOf(book);
  next.balance = last.balance;
  next.adjustments = add(book.adjustments, amount);
  next.last = last;
  return next;
}

function append(
  book: Book,
  entry: Omit<LedgerEntry, 'account' | 'sequence' | 'balance' | 'previous' | 'hash'>,
): LedgerEntry {
  const move = entry.to === 'balance' ? add : subtract;
  const { type, from, to, amount, at, ref, key } = entry;
  const account = book.address;
  const sequence = (book.last?.sequence ?? 0) + 1;
  const balance = move(book.balance, amount);
  const previous = book.last?.hash ?? LEDGER_ROOT;
  return sealEntry({ account, sequence, type, from, to, amount, at, ref, key, balance, previous });
}

function earlier(scheduledAt: number | null, dueAt: number): number {
  return scheduledAt === null || dueAt < scheduledAt ? dueAt : scheduledAt;
}
