import type { ActorEvent, Json } from './event.ts';

/** Work in the world that a step asked for, as its row holds it. A type and no interface, so that it is plain JSON. */
export type ActivityRecord = {
  /** Which activity it is. */
  readonly name: string;
  readonly input: Json;
  /** The idempotency key: the same over all attempts, and over those a chart asks for with `repeats`. */
  readonly key: string;
  /** 1, 2, 3 ...: only the result of this one is taken. */
  readonly attempt: number;
  /** Incarnation of the node that runs it. */
  readonly runner: string;
  /** The runner has recorded that it calls the handler. Before that a death of the runner costs no attempt. */
  readonly begun: boolean;
  /** Store time at which the work as a whole has failed, ms. */
  readonly deadlineAt: number;
  /** It was running when a node crashed. A node runs one suspect at a time, beside everything else. */
  readonly suspect: boolean;
  /** Crashes of nodes on which it was the running suspect. */
  readonly deaths: number;
  /** Why the attempt before this one ended, at most `FAILURE_CHARS_MAX` characters; null for the first attempt. */
  readonly lastFailure: string | null;
};

/** What a `<name>.failed` says of the attempt, as a chart passes it on to ask for the next one. */
export type Repeats = {
  readonly key: string;
  readonly attempt: number;
  readonly failure: { readonly code: string; readonly message: string };
};

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly type: 'done'; readonly result: Json }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly retriable: boolean }
  /** The runner is gone, or has no memory of it. `ownHand`: the runner crashed, by an error or by a silent loop. */
  | { readonly type: 'died'; readonly ownHand: boolean };

/** What follows an attempt: the record of the next one, null when the work has ended; and what the actor receives. */
export interface AfterAttempt {
  readonly next: ActivityRecord | null;
  readonly event: ActorEvent | null;
}

/** Crashes of its runner, as the running suspect, that make an activity poison (failure code `convicted`). */
export const DEATHS_MAX = 3;
/** Longer texts of failures are cut. */
export const FAILURE_CHARS_MAX = 1_000;

/** What follows an attempt that ended. The chart repeats failures; the runtime repeats after deaths only. Pure. */
export function afterAttempt(
  record: ActivityRecord,
  id: string,
  end: AttemptEnd,
  now: { readonly at: number; readonly self: string },
): AfterAttempt {
  const { name, attempt } = record;
  if (end.type === 'done') return { next: null, event: { type: `${name}.done`, id, attempt, result: end.result } };
  if (end.type === 'failed') return failed(record, id, end);
  return record.begun ? afterDeath(record, id, end.ownHand, now) : movedOn(record, id, now);
}

/** The text of a failure as records and operators have it. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message}`.slice(0, FAILURE_CHARS_MAX);
}

/** An attempt whose deadline passed before its handler was called. */
export function notBegun(deadlineAt: number, why: string): AttemptEnd & { readonly type: 'failed' } {
  const message = `its handler was not called by ${new Date(deadlineAt).toISOString()}: ${why}`;
  return { type: 'failed', code: 'not-begun', message, retriable: true };
}

/** Nothing was called: the attempt stays the same and gets another runner. */
function movedOn(record: ActivityRecord, id: string, { at, self }: { readonly at: number; readonly self: string }) {
  if (at >= record.deadlineAt)
    return failed(record, id, notBegun(record.deadlineAt, 'its runner ended before its turn'));
  return { next: { ...record, runner: self }, event: null };
}

/** A crash counts against the suspect that ran, and turns what ran beside it into suspects. A kill never counts. */
function afterDeath(
  record: ActivityRecord,
  id: string,
  ownHand: boolean,
  { at, self }: { readonly at: number; readonly self: string },
): AfterAttempt {
  const deaths = record.deaths + (ownHand && record.suspect ? 1 : 0);
  if (deaths >= DEATHS_MAX) {
    const message = `${deaths} nodes crashed while this was the only suspect they ran`;
    return failed(record, id, { code: 'convicted', message, retriable: false });
  }
  const how = ownHand ? 'crashed' : 'was lost';
  if (at >= record.deadlineAt) {
    const message = `its runner ${how}, and the deadline is over`;
    return failed(record, id, { code: 'deadline', message, retriable: true });
  }
  const { name } = record;
  const attempt = record.attempt + 1;
  const lastFailure = failureText({ code: 'runner-died', message: `its runner ${record.runner} ${how}` });
  const fresh = { attempt, runner: self, begun: false, suspect: record.suspect || ownHand, deaths, lastFailure };
  return { next: { ...record, ...fresh }, event: { type: `${name}.attempt`, id, attempt } };
}

function failed(
  { name, attempt, key }: ActivityRecord,
  id: string,
  { code, message, retriable }: { readonly code: string; readonly message: string; readonly retriable: boolean },
): AfterAttempt {
  return { next: null, event: { type: `${name}.failed`, id, attempt, key, failure: { code, message, retriable } } };
}
