/** How the book changes with each event, once the chart has decided that it does. Pure. */
import type { Generation } from '../terms/hold.ts';
import { only } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { subtract, usd } from '../terms/usd.ts';
import { heldBefore } from './admission.ts';
import { raiseDelta } from './answers.ts';
import {
  type Book,
  dueBy,
  named,
  sweptTill,
  withAdjustment,
  withCharge,
  withDeposit,
  withHold,
  withoutHolds,
  withRaise,
} from './book.ts';
import { parseAdjustment } from './deposit.ts';
import type { AccountEvent, AdjustmentRecord, DepositCredit, HoldOpen, HoldRaise, HoldSettle } from './events.ts';
import { overshootOf } from './generation.ts';
import { orphanSlice, overdueSlice, type Slice } from './sweep.ts';
import { TOMBSTONE_MS } from './tombstone.ts';

export function create(book: Book, event: AccountEvent): Book {
  const { name, at } = only(event, 'account.create');
  return named(book, name, at);
}

export function credit(book: Book, { deposit, amount, at }: DepositCredit): Book {
  return withDeposit(book, { id: deposit, amount: usd(amount), at });
}

export function adjust(book: Book, { adjustment, amount, at }: AdjustmentRecord): Book {
  return withAdjustment(book, { id: adjustment, amount: parseAdjustment(amount), at });
}

/** A hold more, or one in place of that of an older attempt. */
export function hold(book: Book, event: HoldOpen): Book {
  const { amount, deadlineAt } = event.request;
  const before = heldBefore(event);
  return before === null ? withHold(book, amount, deadlineAt) : withRaise(book, subtract(amount, before), deadlineAt);
}

export function moveHold(book: Book, event: HoldRaise): Book {
  return withRaise(book, raiseDelta(event), event.request.deadlineAt);
}

/** The charge; and the hold goes, unless it had been let go before. */
export function charge(book: Book, event: HoldSettle): Book {
  const { settlement, at } = event;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) throw new Error('a charge without its generation');
  const cost = usd(settlement.cost);
  return withCharge(book, {
    cost,
    at,
    generation: row.generation,
    key: row.key,
    held: row.status === 'running' ? row.amount : null,
    overshoot: overshootOf(row, cost) !== null,
  });
}

export function letGo(book: Book, event: AccountEvent): Book {
  const row = firstRow<Generation>(event, 'generation');
  return row === null ? book : withoutHolds(book, row.amount, 1);
}

export function bury(book: Book, event: AccountEvent): Book {
  return dueBy(book, event.at + TOMBSTONE_MS);
}

export function sweep(book: Book, event: AccountEvent): Book {
  const slice = overdueSlice(only(event, 'holds.sweep'));
  return sweptTill(end(book, slice), slice.nextAt);
}

export function loseGateway(book: Book, event: AccountEvent): Book {
  return end(book, orphanSlice(only(event, 'gateway.lost')));
}

function end(book: Book, { amount, ended }: Slice): Book {
  return withoutHolds(book, amount, ended.length);
}
