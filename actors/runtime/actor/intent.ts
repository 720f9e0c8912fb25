import type { ActorEvent, Json } from './event.ts';

/** Work in the world that a step asked for, as its row holds it. A type and no interface, so that it is plain JSON. */
export type Intent = {
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
  intent: Intent,
  id: string,
  end: AttemptEnd,
  now: { readonly at: number; readonly self: string },
): { readonly next: Intent } | { readonly event: ActorEvent } {
  if (end.type === 'done') {
    return { event: { type: `${intent.name}.done`, id, attempt: intent.attempt, result: end.result } };
  }
  if (end.type === 'died') return afterDeath(intent, id, end.ownHand, now);
  const { code, message, retriable } = end;
  const failures = intent.failures + 1;
  const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures - 1, 10));
  if (!retriable || failures >= intent.failuresMax || now.at + delayMs >= intent.deadlineAt) {
    return failed(intent, id, code, message);
  }
  const fresh = { attempt: intent.attempt + 1, runner: now.self, startAt: now.at + delayMs, alone: false };
  return { next: { ...intent, ...fresh, failures } };
}

/** A kill from outside never counts, nor does a death of which the intent was innocent because it did not run yet. */
function afterDeath(
  intent: Intent,
  id: string,
  ownHand: boolean,
  now: { readonly at: number; readonly self: string },
): { readonly next: Intent } | { readonly event: ActorEvent } {
  const deaths = intent.deaths + (ownHand && intent.alone ? 1 : 0);
  if (deaths >= DEATHS_MAX) {
    return failed(intent, id, 'convicted', `${deaths} nodes died by their own hand while they ran this alone`);
  }
  if (now.at >= intent.deadlineAt) return failed(intent, id, 'deadline', 'its runner died, and the deadline is over');
  const suspect = intent.suspect || ownHand;
  const fresh = { attempt: intent.attempt + 1, runner: now.self, startAt: now.at, alone: false };
  return { next: { ...intent, ...fresh, suspect, deaths } };
}

function failed(intent: Intent, id: string, code: string, message: string): { readonly event: ActorEvent } {
  const { name, attempt } = intent;
  return { event: { type: `${name}.failed`, id, attempt, failure: { code, message } } };
}
