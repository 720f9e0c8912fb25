/**
 * The delivery of a webhook: one event, at most eight attempts, and the row that its account sees. Its events, its state
 * and their effects. Pure.
 */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import type { NewWebhook } from '../terms/webhook.ts';
import {
  ATTEMPTS_MAX,
  type DeliveryAttempt,
  type DeliveryOutcome,
  type DeliveryRecord,
  type DeliveryStatus,
} from './delivery-record.ts';

type WebhookCreate = Stamped & { readonly type: 'webhook.create'; readonly webhook: NewWebhook };

/** What an attempt resolves with, however the receiver answered. */
export type DeliverResult = {
  readonly outcome: DeliveryOutcome;
  /** How long the next attempt waits, ms: the back-off with its jitter. */
  readonly retryInMs: number;
};

type DeliverDone = Stamped & { readonly type: 'deliver.done'; readonly result: DeliverResult };
/** The attempt ended without a result: it never began, its runner lost it, or the handler threw. */
type DeliverFailed = Stamped & {
  readonly type: 'deliver.failed';
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};
/** The runner died in an attempt, which may have been sent; the next one begins. */
type DeliverAttempt = Stamped & { readonly type: 'deliver.attempt'; readonly id: string };

export type WebhookEvent =
  | WebhookCreate
  | DeliverDone
  | DeliverFailed
  | DeliverAttempt
  /** From its account or an operator: begins the next attempt without the back-off. */
  | (Stamped & { readonly type: 'webhook.hurry' })
  /** Timer: the back-off has ended. */
  | (Stamped & { readonly type: 'webhook.retry' })
  /** Timer: an ended delivery is no longer shown. */
  | (Stamped & { readonly type: 'webhook.forget' });

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

export const DELIVER_ACTIVITY = 'deliver';
const RETRY = 'webhook.retry';
const FORGET = 'webhook.forget';
/** How long an attempt may wait for its turn at the receiver's host, its run included. */
const DELIVER_MS = 60 * 60_000;
/** The wait after an attempt that ended without a result; the handler computes all other waits. */
const UNDECIDED_WAIT_MS = 30_000;
/** An event that its nodes could not even begin to send is given up after this time. */
const LIFETIME_MS = 7 * 24 * 60 * 60_000;

/** Failure code of a handler that posted nothing. */
export const NOT_SENT = 'not-sent';
/** Failure codes of attempts that posted nothing: the runtime's own for one never begun, and the handler's. */
const UNSENT: ReadonlySet<string> = new Set(['not-begun', NOT_SENT]);

/** Input of the activity that posts the event once. */
export interface DeliverInput {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  readonly body: string;
  /** 1 to 8: the number of the attempt that runs first under this input. */
  readonly attempt: number;
}

export function emptyWebhook(address: string): WebhookState {
  return { address, webhook: null, createdAt: 0, attempts: [], nextAttemptAt: null, endedAt: null };
}

function webhookOf({ webhook }: WebhookState): NewWebhook {
  if (webhook === null) throw new Error('the webhook is used before it is created');
  return webhook;
}

function beginAttempt({ attempts }: WebhookState, { at }: Stamped): Partial<WebhookState> {
  return { attempts: [...attempts, { at, outcome: null }], nextAttemptAt: null };
}

/** Posts the event, from the state in which the attempt has begun. */
function deliver(state: WebhookState, { at }: Stamped): Effect {
  const { id, account, url, body } = webhookOf(state);
  const attempt = state.attempts.length;
  const input = plain({ id, account, url, body, attempt } satisfies DeliverInput);
  return { type: 'perform', name: DELIVER_ACTIVITY, id: String(attempt), input, deadlineAt: at + DELIVER_MS };
}

/** Ends the running attempt. */
function withOutcome({ attempts }: WebhookState, outcome: DeliveryOutcome): Partial<WebhookState> {
  const last = attempts.length - 1;
  return {
    attempts: attempts.map((one, index) => (index === last && one.outcome === null ? { ...one, outcome } : one)),
  };
}

/** True if no further attempt may follow the running one. */
function isLast({ attempts }: WebhookState): boolean {
  return attempts.length >= ATTEMPTS_MAX;
}

/** True if the running attempt posted nothing, and the event is young enough to be queued again. */
function isUnsent({ createdAt }: WebhookState, { failure, at }: DeliverFailed): boolean {
  return UNSENT.has(failure.code) && at < createdAt + LIFETIME_MS;
}

function scheduleRetry({ nextAttemptAt }: WebhookState): Effect {
  if (nextAttemptAt === null) throw new Error('a delivery that waits has no time for its next attempt');
  return { type: 'schedule', name: RETRY, at: nextAttemptAt, event: { type: RETRY } };
}

/** The delivery stays visible as long as its job, and at least until it has ended. */
function scheduleForget(state: WebhookState, { at }: Stamped): Effect {
  const due = Math.max(at, state.createdAt + webhookOf(state).retentionMs);
  return { type: 'schedule', name: FORGET, at: due, event: { type: FORGET } };
}

/** The state of the chart, which is the delivery's status. */
interface InStatus {
  readonly status: DeliveryStatus;
}

function recordOf(state: WebhookState, { status }: InStatus): DeliveryRecord {
  const { id, account, job, type, url } = webhookOf(state);
  const { createdAt, attempts, nextAttemptAt, endedAt } = state;
  return { id, account, job, type, url, status, createdAt, attempts, nextAttemptAt, endedAt };
}

function putDelivery(state: WebhookState, _: Stamped, as: InStatus): Effect {
  const record = recordOf(state, as);
  return { type: 'put', collection: 'delivery', id: record.id, body: plain(record) };
}

/** Why an ended delivery is not sent again. */
const ENDED = {
  delivered: 'its receiver has accepted it',
  failed: 'its eight attempts are made',
} as const;

/** The statuses of an ended delivery. */
export type EndedStatus = keyof typeof ENDED;

/** A delivery that has ended is not sent again: each event has at most eight attempts, and one 2xx. */
function refuseRetry(_: WebhookState, __: Stamped, { status }: { readonly status: EndedStatus }): Effect {
  const message = `This webhook has ended: ${ENDED[status]}`;
  return reply({ refusal: { status: 409, type: 'conflict', message } } satisfies RefusedAnswer);
}

function forget(state: WebhookState): Effect[] {
  return [{ type: 'remove', collection: 'delivery', id: webhookOf(state).id }, { type: 'stop' }];
}

export const guards = {
  isNew: guardOn('*', ({ webhook }: WebhookState) => webhook === null),
  isAccepted: guardOn('deliver.done', (_: WebhookState, { result }: DeliverDone) => result.outcome === '2xx'),
  isLast: guardOn('*', isLast),
  isUnsent: guardOn('deliver.failed', isUnsent),
  isHopeless: guardOn('deliver.failed', (state: WebhookState, { failure }: DeliverFailed) => {
    return isLast(state) || !failure.retriable;
  }),
};

export const actions = {
  create: assignOn('webhook.create', (_: WebhookState, { webhook, at }: WebhookCreate) => ({ webhook, createdAt: at })),
  beginAttempt: assignOn('*', beginAttempt),
  deliver: emitOn('*', deliver),
  endAttempt: assignOn('deliver.done', (state: WebhookState, { result }: DeliverDone) =>
    withOutcome(state, result.outcome),
  ),
  interruptAttempt: assignOn('*', (state: WebhookState) => withOutcome(state, 'interrupted')),
  /** The running attempt was never sent, so it does not count. */
  dropAttempt: assignOn('*', ({ attempts }: WebhookState) => ({ attempts: attempts.slice(0, -1) })),
  backOff: assignOn('deliver.done', (_: WebhookState, { result, at }: DeliverDone) => ({
    nextAttemptAt: at + result.retryInMs,
  })),
  waitUndecided: assignOn('*', (_: WebhookState, { at }) => ({ nextAttemptAt: at + UNDECIDED_WAIT_MS })),
  scheduleRetry: emitOn('*', scheduleRetry),
  cancelRetry: emitOn('*', () => ({ type: 'cancel', name: RETRY })),
  /** Ends an activity whose next attempt would be the ninth. */
  cancelDelivery: emitOn('deliver.attempt', (_: WebhookState, { id }: DeliverAttempt) => {
    return { type: 'cancel', perform: id };
  }),
  end: assignOn('*', (_: WebhookState, { at }) => ({ nextAttemptAt: null, endedAt: at })),
  scheduleForget: emitOn('*', scheduleForget),
  forget: emitOn('*', forget),
  put: emitOn('*', putDelivery),
  answer: emitOn('*', (state: WebhookState, _, as: InStatus) => reply(recordOf(state, as))),
  refuseRetry: emitOn('*', refuseRetry),
};
