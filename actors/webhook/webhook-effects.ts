/** The effects of a webhook. Pure; the chart decides when they apply. */
import type { Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { Refusal } from '../terms/refusal.ts';
import type { DeliveryRecord, DeliveryStatus } from './delivery-record.ts';
import { type WebhookState, webhookOf } from './webhook-state.ts';

export const DELIVER_ACTIVITY = 'deliver';
const RETRY = 'webhook.retry';
const FORGET = 'webhook.forget';
/** How long an attempt may wait for its turn at the receiver's host, its run included. */
const DELIVER_MS = 60 * 60_000;

/** Input of the activity that posts the event once. */
export interface DeliverInput {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  readonly body: string;
  /** 1 to 8: the number of the attempt that runs first under this input. */
  readonly attempt: number;
}

/** Posts the event, from the state in which the attempt has begun. */
export function deliver(state: WebhookState, at: number): Effect {
  const { id, account, url, body } = webhookOf(state);
  const attempt = state.attempts.length;
  const input = plain({ id, account, url, body, attempt } satisfies DeliverInput);
  return { type: 'perform', name: DELIVER_ACTIVITY, id: String(attempt), input, deadlineAt: at + DELIVER_MS };
}

/** Ends an activity whose next attempt would be the ninth. */
export function abandon(id: string): Effect {
  return { type: 'cancel', perform: id };
}

export function scheduleRetry({ nextAttemptAt }: WebhookState): Effect {
  if (nextAttemptAt === null) throw new Error('a delivery that waits has no time for its next attempt');
  return { type: 'schedule', name: RETRY, at: nextAttemptAt, event: { type: RETRY } };
}

/** The delivery stays visible as long as its job, and at least until it has ended. */
export function scheduleForget(state: WebhookState, at: number): Effect {
  const due = Math.max(at, state.createdAt + webhookOf(state).retentionMs);
  return { type: 'schedule', name: FORGET, at: due, event: { type: FORGET } };
}

export function putDelivery(state: WebhookState, status: DeliveryStatus): Effect {
  const record = recordOf(state, status);
  return { type: 'put', collection: 'delivery', id: record.id, body: plain(record) };
}

function recordOf(state: WebhookState, status: DeliveryStatus): DeliveryRecord {
  const { id, account, job, type, url } = webhookOf(state);
  const { createdAt, attempts, nextAttemptAt, endedAt } = state;
  return { id, account, job, type, url, status, createdAt, attempts, nextAttemptAt, endedAt };
}

/** The next attempt begins now. */
export function stopWaiting(): Effect {
  return { type: 'cancel', name: RETRY };
}

export function answerDelivery(state: WebhookState, status: DeliveryStatus): Effect {
  return { type: 'reply', body: plain(recordOf(state, status)) };
}

/** A delivery that has ended is not sent again: each event has at most eight attempts, and one 2xx. */
export function refuseRetry(why: string): Effect {
  const message = `This webhook has ended: ${why}`;
  return { type: 'reply', body: plain({ refusal: { status: 409, type: 'conflict', message } satisfies Refusal }) };
}

export function forget(state: WebhookState): Effect[] {
  return [{ type: 'remove', collection: 'delivery', id: webhookOf(state).id }, { type: 'stop' }];
}
