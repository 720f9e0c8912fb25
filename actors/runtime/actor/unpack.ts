import type { Cell } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './held-rows.ts';
import { afterAttempt, type Intent } from './intent.ts';
import type { Numbering } from './numbering.ts';
import { outboxRow } from './outbox-row.ts';
import type { Parcel, Receipt } from './parcel.ts';
import type { Pending } from './pending.ts';
import { removeRow } from './remove-row.ts';
import { Unread } from './resolve-rows.ts';
import type { SetAside } from './set-aside.ts';
import { systemCollections, systemRow } from './system-collections.ts';

/** What a parcel comes to: rows for its entry, and the event to be stepped in it, if any. */
export interface Unpacked {
  readonly event: ActorEvent | null;
  readonly rows: readonly RowWrite[];
  readonly receipt: Receipt;
  /** The entry that recorded what makes this a repeat, while that is not durable. */
  readonly depends: Pending | null;
}

/** `self` is the incarnation of this node, `at` store time. */
interface Now {
  readonly at: number;
  readonly self: string;
  readonly numbering: Numbering;
}

const NO_ROWS: readonly RowWrite[] = Object.freeze([]);

/** Decides what a parcel means for its actor as it stands now. Answers with the row to be read where only the store knows. */
export function unpack(cell: Cell, parcel: Parcel, event: ActorEvent, now: Now): Unpacked | Unread {
  switch (parcel.type) {
    case 'message':
      return heard(cell, parcel, event, now);
    case 'result':
      return ended(cell, parcel, now);
    case 'notice':
      return { event, rows: NO_ROWS, receipt: 'taken', depends: null };
    case 'alone':
      return goesAlone(cell, parcel);
    case 'retry':
    case 'skip':
      return again(cell, parcel, now);
    default:
      throw new Error(`unknown parcel ${JSON.stringify(parcel satisfies never)}`);
  }
}

/** A message at or below the highest number heard of its sender is a repeat. */
function heard(cell: Cell, { from, number }: Parcel & { type: 'message' }, event: ActorEvent, now: Now) {
  const { heard: collection } = systemCollections;
  const known = bodyOf(cell, collection.name, from);
  if (known instanceof Unread) return known;
  const mark = (known.body as { readonly number: string } | null)?.number ?? '';
  if (number <= mark) return nothing('repeat', known.depends);
  const at = { beside: cell.rows, shard: cell.home.shard, open: false, sort: now.at };
  return { event, rows: [systemRow(at, collection, from, { number })], receipt: 'taken', depends: null } as const;
}

/** Only the attempt that the intent names may end it. */
function ended(cell: Cell, { id, attempt, end }: Parcel & { type: 'result' }, now: Now): Unpacked {
  const { intents } = systemCollections;
  const held = cell.rows.find(intents.name, id);
  if (held === undefined || held.latest.removed) return nothing('stale', held?.pending ?? null);
  const intent = held.latest.body as Intent;
  if (intent.attempt !== attempt) return nothing('stale', held.pending);
  const after = afterAttempt(intent, id, end, now);
  if ('next' in after) {
    return { event: null, rows: [intentRow(held.latest, after.next)], receipt: 'taken', depends: null };
  }
  return { event: after.event, rows: [removeRow(cell.rows, intents, id)], receipt: 'taken', depends: null };
}

function goesAlone(cell: Cell, { id, attempt }: Parcel & { type: 'alone' }): Unpacked {
  const held = cell.rows.find(systemCollections.intents.name, id);
  if (held === undefined || held.latest.removed) return nothing('stale', held?.pending ?? null);
  const intent = held.latest.body as Intent;
  if (intent.attempt !== attempt) return nothing('stale', held.pending);
  if (intent.alone) return nothing('repeat', held.pending);
  return { event: null, rows: [intentRow(held.latest, { ...intent, alone: true })], receipt: 'taken', depends: null };
}

function again(cell: Cell, { type, id }: Parcel & { type: 'retry' | 'skip' }, { numbering }: Now): Unpacked | Unread {
  const { aside } = systemCollections;
  const known = bodyOf(cell, aside.name, id);
  if (known instanceof Unread) return known;
  if (known.body === null) return nothing('none', known.depends);
  const { event, to } = known.body as unknown as SetAside;
  const removed = removeRow(cell.rows, aside, id);
  const step = type === 'retry' && to === undefined ? event : null;
  // Its receiver may have heard later ones of this sender: under its old number it would be a repeat.
  const posted = type === 'retry' && to !== undefined ? [outboxRow(cell, numbering.next(cell.home), to, event)] : [];
  return { event: step, rows: [removed, ...posted], receipt: 'taken', depends: null };
}

/** The row of an intent, rewritten. */
function intentRow(row: RowWrite, intent: Intent): RowWrite {
  return { ...row, body: intent, held: null };
}

/** The newest body of a row that is not resident: from memory, else as it was read for this message. */
function bodyOf(cell: Cell, collection: string, id: string): { body: Json; depends: Pending | null } | Unread {
  const held = cell.rows.find(collection, id);
  if (held !== undefined) return { body: held.latest.removed ? null : held.latest.body, depends: held.pending };
  const read = cell.rows.readView(collection, id);
  return read === undefined ? new Unread(collection, id) : { body: read?.body ?? null, depends: null };
}

function nothing(receipt: Receipt, depends: Pending | null): Unpacked {
  return { event: null, rows: NO_ROWS, receipt, depends };
}
