import type { ActorEvent, Json } from '../event.ts';

/**
 * An activity that a step requested, as its row holds it. A type and not an interface, so that it is assignable to
 * Json.
 */
export type ActivityRecord = {
  /** Name of the activity. */
  readonly name: string;
  readonly input: Json;
  /** The idempotency key: the same over all attempts, and over those a chart asks for with `repeats`. */
  readonly key: string;
  /** 1, 2, 3 ...: only the result of this attempt is accepted. */
  readonly attempt: number;
  /** Incarnation of the node that runs it. */
  readonly runner: string;
  /**
   * True once the runner has recorded that it calls the handler. Before that a death of the runner costs no attempt.
   */
  readonly begun: boolean;
  /** Store time at which the activity as a whole has failed, ms. */
  readonly deadlineAt: number;
  /** True if it was running when a node crashed. A node runs one suspect at a time, beside all other activities. */
  readonly suspect: boolean;
  /** Number of nodes that crashed while it was their running suspect. */
  readonly deaths: number;
  /** Why the previous attempt ended, at most `FAILURE_CHARS_MAX` characters; null for the first attempt. */
  readonly lastFailure: string | null;
};

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly type: 'done'; readonly result: Json }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly retriable: boolean }
  /** The runner is dead, or has lost the attempt. `crashed`: by an error of its own or by a silent loop. */
  | { readonly type: 'died'; readonly crashed: boolean };

/**
 * What follows an attempt: the record of the next one, null when the activity has ended; and the event for the actor.
 */
export interface AfterAttempt {
  readonly next: ActivityRecord | null;
  readonly event: ActorEvent | null;
}

/** Crashes of its runner, as the running suspect, that make an activity poison (failure code `poison`). */
const DEATHS_MAX = 3;
/** Failure texts are truncated to this length. */
export const FAILURE_CHARS_MAX = 1_000;

/** Decides what follows an ended attempt. Pure. The chart repeats failures; the runtime repeats only after deaths. */
export function afterAttempt(
  record: ActivityRecord,
  id: string,
  end: AttemptEnd,
  now: { readonly at: number; readonly self: string },
): AfterAttempt {
  const { name, attempt } = record;
  if (end.type === 'done') return { next: null, event: { type: `${name}.done`, id, attempt, result: end.result } };
  if (end.type === 'failed') return failed(record, id, end);
  return record.begun ? afterDeath(record, id, end.crashed, now) : reassigned(record, id, now);
}

/** The text of a failure for records and operators. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message}`.slice(0, FAILURE_CHARS_MAX);
}

/** An attempt whose deadline passed before its handler was called. */
export function notBegun(deadlineAt: number, why: string): AttemptEnd & { readonly type: 'failed' } {
  const message = `its handler was not called by ${new Date(deadlineAt).toISOString()}: ${why}`;
  return { type: 'failed', code: 'not-begun', message, retriable: true };
}

/** The handler was never called: the same attempt continues on another runner. */
function reassigned(record: ActivityRecord, id: string, { at, self }: { readonly at: number; readonly self: string }) {
  if (at >= record.deadlineAt)
    return failed(record, id, notBegun(record.deadlineAt, 'its runner ended before its turn'));
  return { next: { ...record, runner: self }, event: null };
}

/**
 * A crash counts against the suspect that ran, and marks the other running activities as suspects. A kill does not
 * count.
 */
function afterDeath(
  record: ActivityRecord,
  id: string,
  crashed: boolean,
  { at, self }: { readonly at: number; readonly self: string },
): AfterAttempt {
  const deaths = record.deaths + (crashed && record.suspect ? 1 : 0);
  if (deaths >= DEATHS_MAX) {
    const message = `${deaths} nodes crashed while this was the only suspect they ran`;
    return failed(record, id, { code: 'poison', message, retriable: false });
  }
  const how = crashed ? 'crashed' : 'was lost';
  if (at >= record.deadlineAt) {
    const message = `its runner ${how}, and the deadline is over`;
    return failed(record, id, { code: 'deadline', message, retriable: true });
  }
  const { name } = record;
  const attempt = record.attempt + 1;
  const lastFailure = failureText({ code: 'runner-died', message: `its runner ${record.runner} ${how}` });
  const fresh = { attempt, runner: self, begun: false, suspect: record.suspect || crashed, deaths, lastFailure };
  return { next: { ...record, ...fresh }, event: { type: `${name}.attempt`, id, attempt } };
}

function failed(
  { name, attempt, key }: ActivityRecord,
  id: string,
  { code, message, retriable }: { readonly code: string; readonly message: string; readonly retriable: boolean },
): AfterAttempt {
  return { next: null, event: { type: `${name}.failed`, id, attempt, key, failure: { code, message, retriable } } };
}
