import type { Answer } from '../../actor/answer.ts';
import type { MessageRefusal } from '../../actor/message-refusal.ts';

const RETRY_AFTER_MS = 100;

/** The answers that carry no detail are made once. */
export const ABSENT: Answer = { ok: false, failure: { code: 'absent' } };
export const FINISHED: Answer = { ok: false, failure: { code: 'finished' } };
export const UNHANDLED: Answer = { ok: false, failure: { code: 'unhandled' } };
export const EXPIRED: Answer = { ok: false, failure: { code: 'expired' } };
export const LOST: Answer = { ok: false, failure: { code: 'lost' } };
export const BUSY: Answer = { ok: false, failure: { code: 'busy', retryAfterMs: RETRY_AFTER_MS } };

/** The step did not happen, and repeating it will not help. */
export function failed(detail: string): Answer {
  return { ok: false, failure: { code: 'failed', detail } };
}

/** What an asker receives whose event its actor does not handle, refused itself, or could not take for another's refusal. */
export function declined(
  end: 'unhandled' | 'refused' | 'rejected',
  detail: string,
  refusal: MessageRefusal | null,
): Answer {
  if (refusal === null) return UNHANDLED;
  if (end === 'refused') return { ok: true, body: refusal.body };
  return { ok: false, failure: { code: 'rejected', detail, refusal } };
}

/** There is no such actor as far as this build knows: nothing happened, and a newer build may think otherwise. */
export function unknownKind(fault: string): Answer {
  return { ok: false, failure: { code: 'failed', detail: fault, kindUnknown: true } };
}

/** An actor does not load; nothing happened, and only an operator or another build can help. */
export function quarantined(address: string, fault: string): Answer {
  return { ok: false, failure: { code: 'quarantined', detail: `${address} is quarantined: ${fault}` } };
}

/** The same, and the event waits for the actor to load: it is stepped then. */
export function deferredFor(address: string, fault: string): Answer {
  const detail = `${address} is quarantined, what was asked is kept for it: ${fault}`;
  return { ok: false, failure: { code: 'quarantined', detail, kept: true } };
}

/** The store, or a lane, takes nothing now. */
export function refused(detail: string): Answer {
  return { ok: false, failure: { code: 'refused', detail } };
}

/** Not served here (any more); the owner is the router's to find. `epoch` is the last one served here. */
export function moved(epoch: number): Answer {
  return { ok: false, failure: { code: 'moved', owner: null, epoch } };
}
