import type { Answer, MessageRefusal } from '../actor/answer.ts';

const RETRY_AFTER_MS = 100;

/** Answers without detail are shared constants. */
export const ABSENT: Answer = { ok: false, failure: { code: 'absent' } };
export const FINISHED: Answer = { ok: false, failure: { code: 'finished' } };
export const UNHANDLED: Answer = { ok: false, failure: { code: 'unhandled' } };
export const EXPIRED: Answer = { ok: false, failure: { code: 'expired' } };
export const LOST: Answer = { ok: false, failure: { code: 'lost' } };
export const BUSY: Answer = { ok: false, failure: { code: 'busy', retryAfterMs: RETRY_AFTER_MS } };

/** The step did not happen, and a retry fails the same way. */
export function failed(detail: string): Answer {
  return { ok: false, failure: { code: 'failed', detail } };
}

/** The answer to an ask that the actor does not handle, rejected itself, or failed because another actor rejected. */
export function declined(
  end: 'unhandled' | 'refused' | 'rejected',
  detail: string,
  refusal: MessageRefusal | null,
): Answer {
  if (refusal === null) return UNHANDLED;
  if (end === 'refused') return { ok: true, body: refusal.body };
  return { ok: false, failure: { code: 'rejected', detail, refusal } };
}

/** This build has no such kind of actor: nothing happened, and a newer build may accept the event. */
export function unknownKind(fault: string): Answer {
  return { ok: false, failure: { code: 'failed', detail: fault, kindUnknown: true } };
}

/** The actor fails to load: nothing happened, and only an operator or another build can resolve it. */
export function quarantined(address: string, fault: string): Answer {
  return { ok: false, failure: { code: 'quarantined', detail: `${address} is quarantined: ${fault}` } };
}

/** The actor fails to load, and the event is deferred: it is stepped once the actor loads. */
export function deferredFor(address: string, fault: string): Answer {
  const detail = `${address} is quarantined, the ask is kept for it: ${fault}`;
  return { ok: false, failure: { code: 'quarantined', detail, deferred: true } };
}

/** The store or a lane accepts nothing now; a retry may succeed. */
export function refused(detail: string): Answer {
  return { ok: false, failure: { code: 'refused', detail } };
}

/** The shard is not served here; the router finds the owner. `epoch` is the last one served here. */
export function moved(epoch: number): Answer {
  return { ok: false, failure: { code: 'moved', owner: null, epoch } };
}
