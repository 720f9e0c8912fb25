/** The events of a webhook as its chart receives them. */
import type { Stamped } from '../runtime/index.ts';
import type { NewWebhook } from '../terms/webhook.ts';
import type { DeliveryOutcome } from './delivery-record.ts';

export type WebhookCreate = Stamped & { readonly type: 'webhook.create'; readonly webhook: NewWebhook };

/** What an attempt resolves with, however the receiver answered. */
export type DeliverResult = {
  readonly outcome: DeliveryOutcome;
  /** How long the next attempt waits, ms: the back-off with its jitter. */
  readonly retryInMs: number;
};

export type DeliverDone = Stamped & { readonly type: 'deliver.done'; readonly result: DeliverResult };
/** The attempt ended without a result: it never began, its runner lost it, or the handler threw. */
export type DeliverFailed = Stamped & {
  readonly type: 'deliver.failed';
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};

export type WebhookEvent =
  | WebhookCreate
  | DeliverDone
  | DeliverFailed
  /** The runner died in an attempt, which may have been sent; the next one begins. */
  | (Stamped & { readonly type: 'deliver.attempt'; readonly id: string })
  /** Its account or an operator does not want to wait for the back-off. */
  | (Stamped & { readonly type: 'webhook.hurry' })
  /** Timers: the back-off is over; an ended delivery is no longer shown. */
  | (Stamped & { readonly type: 'webhook.retry' })
  | (Stamped & { readonly type: 'webhook.forget' });
