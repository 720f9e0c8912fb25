import { createHash } from 'node:crypto';
import { ownerHash } from '../address.ts';
import type { ActorEvent, Json } from '../event.ts';
import { type ActivityRecord, afterAttempt } from './activity-record.ts';
import { rewrittenActivity } from './activity-rows.ts';
import type { Cell } from './cell.ts';
import type { Firing, Mail } from './mailbox.ts';
import type { CascadeEnd, TimerWrite } from './outcome.ts';
import type { RowWrite } from './row-cache.ts';
import { removeRow, systemCollections, systemRow } from './row-writes.ts';
import type { InputOutcome, SystemMessage } from './system-message.ts';

/** Failures of an input that cannot be refused before it becomes a dead letter. */
export const FAILURES_MAX = 5;

/** A dead letter, as its row holds it. */
export type DeadLetterBody = {
  /**
   * An `outbox` message is stored beside its sender, because its receiver was unable to store it. All others
   * are stored beside their receiver.
   */
  readonly source: 'timer' | 'message' | 'result' | 'notice' | 'ask' | 'outbox';
  /** The sender; null for all but messages. */
  readonly from: string | null;
  /** The receiver of an outbox message. */
  readonly to?: string;
  readonly event: ActorEvent;
  /** The cause of the failure, and the number of tries. */
  readonly failure: string;
  readonly times: number;
  /** Store time, ms. */
  readonly at: number;
};

interface Replacement {
  readonly inputOutcome: InputOutcome;
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
}

interface Now {
  readonly at: number;
  readonly self: string;
  readonly detail: string;
  readonly id: string;
}

/** The failure, and whether it was the last try. */
interface Failed extends Now {
  /** Number of tries for the dead letter; null while the input may be tried again. */
  readonly times: number | null;
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * The records that replace the step of a failed input: null if the input may be tried again, or if its sender receives
 * the failure. A step that throws is tried five times. An unhandled event, a refusal and a missing receiver are final,
 * because a repeat fails the same way. A result without a receiver is dropped.
 */
export function deadLetterInstead(cell: Cell, mail: Mail, end: CascadeEnd, now: Now): Replacement | null {
  const { firing, systemMessage, event } = mail;
  const isFinal = end === 'unhandled' || end === 'refused' || end === 'rejected';
  const last =
    end === 'failed' && (firing?.last ?? (systemMessage !== null && 'last' in systemMessage && systemMessage.last));
  const failed = { ...now, times: isFinal ? 1 : last ? FAILURES_MAX : null };
  if (firing !== null)
    return firing.deferred === undefined
      ? ofTimer(cell, firing, event, failed)
      : ofDeferred(cell, firing.deferred, failed);
  const gone = end === 'absent' || end === 'finished';
  switch (systemMessage?.type) {
    case 'message':
      return ofMessage(
        cell,
        systemMessage,
        event,
        gone ? { ...failed, detail: `${cell.address} is ${end}`, times: 1 } : failed,
      );
    case 'result':
      return ofResult(cell, systemMessage, failed, gone);
    case 'notice':
      return ofNotice(cell, event, failed);
    default:
      return null;
  }
}

function ofTimer(cell: Cell, { name }: Firing, event: ActorEvent, failed: Failed): Replacement | null {
  if (failed.times === null) return null;
  const timers = [{ address: cell.address, name, dueAt: 0, event: null, slot: null }];
  return { inputOutcome: 'dead-letter', rows: [row(cell, failed, { source: 'timer', from: null, event })], timers };
}

/** A deferred input already has its row, which becomes the dead letter. */
function ofDeferred(cell: Cell, id: string, failed: Failed): Replacement | null {
  const held = cell.rows.find(systemCollections.deadLetters.name, id);
  if (failed.times === null || held === undefined) return null;
  const { source, from, event } = held.latest.body as DeadLetterBody;
  return { inputOutcome: 'dead-letter', rows: [row(cell, { ...failed, id }, { source, from, event })], timers: NONE };
}

function ofMessage(
  cell: Cell,
  { from, number }: SystemMessage & { type: 'message' },
  event: ActorEvent,
  failed: Failed,
): Replacement | null {
  if (failed.times === null) return null;
  const at = { beside: cell.rows, shard: cell.shard.id, open: false, sort: failed.at };
  const mark = systemRow(at, systemCollections.inbox, from, { number });
  // The id is derived from the message, so that a message that arrives twice becomes one dead letter.
  const id = `${number}.${ownerHash(from).toString(36)}`;
  return {
    inputOutcome: 'dead-letter',
    rows: [mark, row(cell, { ...failed, id }, { source: 'message', from, event })],
    timers: NONE,
  };
}

function ofResult(
  cell: Cell,
  { id, end }: SystemMessage & { type: 'result' },
  failed: Failed,
  gone: boolean,
): Replacement | null {
  if (!gone && failed.times === null) return null;
  const { activities } = systemCollections;
  const ended = removeRow(cell.rows, activities, id);
  const held = cell.rows.find(activities.name, id)?.latest;
  if (gone || held === undefined || held.removed) return { inputOutcome: 'dropped', rows: [ended], timers: NONE };
  const { next, event } = afterAttempt(held.body as ActivityRecord, id, end, failed);
  if (event === null) return null;
  const letter = row(cell, failed, { source: 'result', from: null, event });
  return {
    inputOutcome: 'dead-letter',
    rows: [next === null ? ended : rewrittenActivity(held, next), letter],
    timers: NONE,
  };
}

/** The id is derived from the event: every adoption creates the same notice again, and it is one dead letter. */
function ofNotice(cell: Cell, event: ActorEvent, failed: Failed): Replacement | null {
  if (failed.times === null) return null;
  const id = `notice.${createHash('sha256').update(JSON.stringify(event)).digest('base64url').slice(0, 16)}`;
  return {
    inputOutcome: 'dead-letter',
    rows: [row(cell, { ...failed, id }, { source: 'notice', from: null, event })],
    timers: NONE,
  };
}

function row(
  cell: Cell,
  { at, id, detail, times }: Failed,
  input: Pick<DeadLetterBody, 'source' | 'from' | 'event'>,
): RowWrite {
  const body: DeadLetterBody = { ...input, failure: detail, times: times ?? 0, at };
  const place = { beside: cell.rows, shard: cell.shard.id, open: false, sort: at };
  return systemRow(place, systemCollections.deadLetters, id, body as Json);
}

/**
 * Deferred inputs per quarantined actor, including those of earlier owners. At the bound the sender receives a failure:
 * a sender that repeats itself for days must not fill the store, nor the memory of the node that loads the actor.
 */
export const DEFERRED_MAX = 4_096;

/**
 * True for events that end something (`Kind.finishes`), as long as the actor's bound allows one more: a quarantined
 * actor must not refuse those.
 */
export function mayBeDeferred({ kind, deferredStored, rows }: Cell, type: string): boolean {
  return kind.finishes.has(type) && deferredStored + rows.count(systemCollections.deadLetters.name) < DEFERRED_MAX;
}

/**
 * The row of an input deferred beside its quarantined receiver: a message is written in the entry of its sender, an ask
 * (`from` is null) in its own. The row is open, so that it loads with the actor; `id` is its sequence number and gives
 * the order within the shard. Ids are never reused, because a shard may be served again under the same epoch while
 * older rows wait.
 */
export function deferredInput(to: Cell, id: string, from: string | null, event: ActorEvent, at: number): RowWrite {
  const { shard, rows: beside } = to;
  const source = from === null ? 'ask' : 'message';
  const body: DeadLetterBody = { source, from, event, failure: `${to.address} was quarantined`, times: 0, at };
  return systemRow({ beside, shard: shard.id, open: true, sort: at }, systemCollections.deadLetters, id, body as Json);
}

/** The deferred inputs of an actor that has just been loaded, in order. */
export function deferredInputs(cell: Cell): readonly { readonly id: string; readonly event: ActorEvent }[] {
  const rows = [...cell.rows.open(systemCollections.deadLetters.name)];
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return rows.map(({ id, body }) => ({ id, event: (body as unknown as { readonly event: ActorEvent }).event }));
}
