/** The stored state of a webhook: its event and at most eight attempts. Every function is pure. */
import type { NewWebhook } from '../terms/webhook.ts';
import { ATTEMPTS_MAX, type DeliveryAttempt, type DeliveryOutcome } from './delivery-record.ts';
import type { DeliverFailed, WebhookCreate } from './events.ts';

export interface WebhookState {
  readonly address: string;
  /** Null only during the step that creates the webhook. */
  readonly webhook: NewWebhook | null;
  readonly createdAt: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** When the next attempt begins; null unless the delivery waits. */
  readonly nextAttemptAt: number | null;
  readonly endedAt: number | null;
}

/** The wait after an attempt that ended without a result; the handler computes all other waits. */
const UNDECIDED_WAIT_MS = 30_000;
/** An event that its nodes could not even begin to send is given up after this time. */
const LIFETIME_MS = 7 * 24 * 60 * 60_000;

/** Failure code of a handler that posted nothing. */
export const NOT_SENT = 'not-sent';
/** Failure codes of attempts that posted nothing: the runtime's own for one never begun, and the handler's. */
const UNSENT: ReadonlySet<string> = new Set(['not-begun', NOT_SENT]);

export function emptyWebhook(address: string): WebhookState {
  return { address, webhook: null, createdAt: 0, attempts: [], nextAttemptAt: null, endedAt: null };
}

export function webhookOf({ webhook }: WebhookState): NewWebhook {
  if (webhook === null) throw new Error('the webhook is used before it is created');
  return webhook;
}

export function created(state: WebhookState, { webhook, at }: WebhookCreate): WebhookState {
  return { ...state, webhook, createdAt: at };
}

/** An attempt begins. */
export function begun(state: WebhookState, at: number): WebhookState {
  return { ...state, attempts: [...state.attempts, { at, outcome: null }], nextAttemptAt: null };
}

/** The running attempt has ended. */
export function ended(state: WebhookState, outcome: DeliveryOutcome): WebhookState {
  const attempts = state.attempts.map((one, index) =>
    index === state.attempts.length - 1 && one.outcome === null ? { ...one, outcome } : one,
  );
  return { ...state, attempts };
}

/** The running attempt was never sent, so it does not count. */
export function undone(state: WebhookState): WebhookState {
  return { ...state, attempts: state.attempts.slice(0, -1) };
}

export function waiting(state: WebhookState, until: number): WebhookState {
  return { ...state, nextAttemptAt: until };
}

export function over(state: WebhookState, at: number): WebhookState {
  return { ...state, nextAttemptAt: null, endedAt: at };
}

/** True if no further attempt may follow the running one. */
export function isLast({ attempts }: WebhookState): boolean {
  return attempts.length >= ATTEMPTS_MAX;
}

/** True if the running attempt posted nothing, and the event is young enough to be queued again. */
export function isUnsent({ createdAt }: WebhookState, { failure, at }: DeliverFailed): boolean {
  return UNSENT.has(failure.code) && at < createdAt + LIFETIME_MS;
}

export function undecidedUntil(at: number): number {
  return at + UNDECIDED_WAIT_MS;
}
