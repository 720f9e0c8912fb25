import type { ActorEvent, Json } from './event.ts';

/** Work in the world that a step asked for, as its row holds it. A type and no interface, so that it is plain JSON. */
export type ActivityRecord = {
  /** Which performer does it. */
  readonly name: string;
  readonly input: Json;
  /** The same over all attempts: what the outside is told so that it can recognise a repeat. */
  readonly key: string;
  /** 1, 2, 3 ...: only the result of this one is taken. */
  readonly attempt: number;
  /** Incarnation of the node that runs it. */
  readonly runner: string;
  /** Store time before which the attempt does not begin, ms. */
  readonly startAt: number;
  /** Store time at which the work as a whole has failed, ms. */
  readonly deadlineAt: number;
  /** Attempts that ended in a failure worth repeating, and how many there may be. */
  readonly failures: number;
  readonly failuresMax: number;
  /** A node died by its own hand while this ran: it only runs with nothing else beside it. */
  readonly suspect: boolean;
  /** It runs so now. */
  readonly alone: boolean;
  /** Deaths by their own hand of nodes on which it ran alone. */
  readonly deaths: number;
};

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly type: 'done'; readonly result: Json }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly retriable: boolean }
  /** The runner is gone, or never began. `ownHand`: it ended itself, by an error or by going silent. */
  | { readonly type: 'died'; readonly ownHand: boolean };

/** Deaths of its runner, alone and by its own hand, that convict an intent. */
export const DEATHS_MAX = 3;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;

/** What follows an attempt: another one, or the event that tells the actor how it went. Pure. */
export function afterAttempt(
  record: ActivityRecord,
  id: string,
  end: AttemptEnd,
  now: { readonly at: number; readonly self: string },
): { readonly next: ActivityRecord } | { readonly event: ActorEvent } {
  if (end.type === 'done') {
    return { event: { type: `${record.name}.done`, id, attempt: record.attempt, result: end.result } };
  }
  if (end.type === 'died') return afterDeath(record, id, end.ownHand, now);
  const { code, message, retriable } = end;
  const failures = record.failures + 1;
  const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures - 1, 10));
  if (!retriable || failures >= record.failuresMax || now.at + delayMs >= record.deadlineAt) {
    return failed(record, id, code, message);
  }
  const fresh = { attempt: record.attempt + 1, runner: now.self, startAt: now.at + delayMs, alone: false };
  return { next: { ...record, ...fresh, failures } };
}

/** A kill from outside never counts, nor does a death of which the intent was innocent because it did not run yet. */
function afterDeath(
  record: ActivityRecord,
  id: string,
  ownHand: boolean,
  now: { readonly at: number; readonly self: string },
): { readonly next: ActivityRecord } | { readonly event: ActorEvent } {
  const deaths = record.deaths + (ownHand && record.alone ? 1 : 0);
  if (deaths >= DEATHS_MAX) {
    return failed(record, id, 'convicted', `${deaths} nodes died by their own hand while they ran this alone`);
  }
  if (now.at >= record.deadlineAt) return failed(record, id, 'deadline', 'its runner died, and the deadline is over');
  const suspect = record.suspect || ownHand;
  const fresh = { attempt: record.attempt + 1, runner: now.self, startAt: now.at, alone: false };
  return { next: { ...record, ...fresh, suspect, deaths } };
}

function failed(record: ActivityRecord, id: string, code: string, message: string): { readonly event: ActorEvent } {
  const { name, attempt } = record;
  return { event: { type: `${name}.failed`, id, attempt, failure: { code, message } } };
}
