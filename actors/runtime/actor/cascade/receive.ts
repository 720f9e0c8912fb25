import type { ActorEvent, Json } from '../event.ts';
import { type ActivityRecord, afterAttempt } from './activity-record.ts';
import { rewrittenActivity } from './activity-rows.ts';
import type { Cell } from './cell.ts';
import type { DeadLetterBody } from './dead-letter.ts';
import type { PendingCommit } from './pending-commit.ts';
import { recordingRow } from './recorder.ts';
import { Unread } from './resolve-rows.ts';
import type { RowWrite } from './row-cache.ts';
import { outboxRow, removeRow, systemCollections, systemRow } from './row-writes.ts';
import type { Sequence } from './sequence.ts';
import type { InputOutcome, SystemMessage } from './system-message.ts';

/** The result of receiving a system message: rows for its entry, and the event to step in it, if any. */
interface Received {
  readonly event: ActorEvent | null;
  readonly rows: readonly RowWrite[];
  readonly inputOutcome: InputOutcome;
  /** The pending entry that makes this message a repeat or stale; null when it is durable. */
  readonly depends: PendingCommit | null;
}

/** `self` is the incarnation of this node, `at` store time. */
interface Now {
  readonly at: number;
  readonly self: string;
  readonly sequence: Sequence;
}

const NO_ROWS: readonly RowWrite[] = Object.freeze([]);

/**
 * Decides what a system message does to its actor in its current state. Returns `Unread` for a row that must be read
 * from the store first.
 */
export function receive(cell: Cell, systemMessage: SystemMessage, event: ActorEvent, now: Now): Received | Unread {
  switch (systemMessage.type) {
    case 'message':
      return receiveMessage(cell, systemMessage, event, now);
    case 'result':
      return receiveResult(cell, systemMessage, now);
    case 'notice':
      return { event, rows: NO_ROWS, inputOutcome: 'taken', depends: null };
    case 'begin':
      return receiveBegin(cell, systemMessage);
    case 'retry':
    case 'skip':
      return receiveOperatorDecision(cell, systemMessage, now);
    case 'record':
      if (cell.snapshot === null) return nothing('none', null);
      return {
        event: null,
        rows: [recordingRow(cell, systemMessage.until, now.at)],
        inputOutcome: 'taken',
        depends: null,
      };
    default:
      throw new Error(`unknown system message ${JSON.stringify(systemMessage satisfies never)}`);
  }
}

/** A message at or below the inbox high-water mark of its sender is a repeat. */
function receiveMessage(
  cell: Cell,
  { from, number }: SystemMessage & { type: 'message' },
  event: ActorEvent,
  now: Now,
) {
  const { inbox: collection } = systemCollections;
  const known = bodyOf(cell, collection.name, from);
  if (known instanceof Unread) return known;
  const mark = (known.body as { readonly number: string } | null)?.number ?? '';
  if (number <= mark) return nothing('repeat', known.depends);
  const at = { beside: cell.rows, shard: cell.shard.id, open: false, sort: now.at };
  return { event, rows: [systemRow(at, collection, from, { number })], inputOutcome: 'taken', depends: null } as const;
}

/** Only the current attempt of the record can end it, and none of an earlier activity of the same id. */
function receiveResult(cell: Cell, { id, attempt, key, end }: SystemMessage & { type: 'result' }, now: Now): Received {
  const { activities } = systemCollections;
  const held = cell.rows.find(activities.name, id);
  if (held === undefined || held.latest.removed) return nothing('stale', held?.pending ?? null);
  const record = held.latest.body as ActivityRecord;
  if (record.attempt !== attempt || record.key !== key) return nothing('stale', held.pending);
  const { next, event } = afterAttempt(record, id, end, now);
  const row = next === null ? removeRow(cell.rows, activities, id) : rewrittenActivity(held.latest, next);
  return { event, rows: [row], inputOutcome: 'taken', depends: null };
}

/** Records that the runner is about to call the handler. */
function receiveBegin(cell: Cell, { id, attempt, runner }: SystemMessage & { type: 'begin' }): Received {
  const held = cell.rows.find(systemCollections.activities.name, id);
  if (held === undefined || held.latest.removed) return nothing('stale', held?.pending ?? null);
  const record = held.latest.body as ActivityRecord;
  if (record.attempt !== attempt || record.runner !== runner) return nothing('stale', held.pending);
  if (record.begun) return nothing('repeat', held.pending);
  return {
    event: null,
    rows: [rewrittenActivity(held.latest, { ...record, begun: true })],
    inputOutcome: 'taken',
    depends: null,
  };
}

function receiveOperatorDecision(
  cell: Cell,
  { type, id }: SystemMessage & { type: 'retry' | 'skip' },
  { sequence }: Now,
): Received | Unread {
  const { deadLetters } = systemCollections;
  const known = bodyOf(cell, deadLetters.name, id);
  if (known instanceof Unread) return known;
  if (known.body === null) return nothing('none', known.depends);
  const { event, to } = known.body as unknown as DeadLetterBody;
  const removed = removeRow(cell.rows, deadLetters, id);
  const step = type === 'retry' && to === undefined ? event : null;
  // The letter gets a new number, because its receiver may already have received later messages of this sender.
  const posted = type === 'retry' && to !== undefined ? [outboxRow(cell, sequence.next(cell.shard), to, event)] : [];
  return { event: step, rows: [removed, ...posted], inputOutcome: 'taken', depends: null };
}

/** The newest body of a row that is not resident: from memory, else from the read for this message. */
function bodyOf(cell: Cell, collection: string, id: string): { body: Json; depends: PendingCommit | null } | Unread {
  const held = cell.rows.find(collection, id);
  if (held !== undefined) return { body: held.latest.removed ? null : held.latest.body, depends: held.pending };
  const read = cell.rows.readView(collection, id);
  return read === undefined ? new Unread(collection, id) : { body: read?.body ?? null, depends: null };
}

function nothing(inputOutcome: InputOutcome, depends: PendingCommit | null): Received {
  return { event: null, rows: NO_ROWS, inputOutcome, depends };
}
