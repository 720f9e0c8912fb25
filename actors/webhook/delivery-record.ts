import type { Collection } from '../runtime/index.ts';
import type { WebhookType } from '../terms/webhook.ts';

/** Attempts of one event, those that a dead runner may have sent included. (rule V39) */
export const ATTEMPTS_MAX = 8;

/**
 * How an attempt ended: the class of the answered status, or why there was no answer. Nothing else of the answer is
 * kept. (rule E44)
 *
 * - `unreachable`: no connection: unknown name, refused, or cut before the answer.
 * - `tls`: the certificate is not valid for the host, or the TLS handshake failed.
 * - `malformed`: the answer is no HTTP answer.
 * - `blocked`: the address may not be called: it is not public, or belongs to this service.
 * - `interrupted`: the node that sent it ended before the answer was recorded.
 */
export const DELIVERY_OUTCOMES = [
  ...(['1xx', '2xx', '3xx', '4xx', '5xx'] as const),
  ...(['unreachable', 'tls', 'timeout', 'malformed', 'blocked', 'interrupted'] as const),
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export interface DeliveryAttempt {
  /** Store time at which it was dispatched, ms. */
  readonly at: number;
  /** Null while it runs. */
  readonly outcome: DeliveryOutcome | null;
}

export const DELIVERY_STATUSES = ['delivering', 'waiting', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The row of a webhook: what its account sees of the delivery. Never the receiver's answer. */
export interface DeliveryRecord {
  /** `evt_` and 32 hex digits. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  readonly job: string;
  readonly type: WebhookType;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Store times, ms. */
  readonly createdAt: number;
  /** At most `ATTEMPTS_MAX`, in order. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When the next attempt begins; null unless the delivery waits. */
  readonly nextAttemptAt: number | null;
  readonly endedAt: number | null;
}

/** Index columns of the delivery collection; the second is for lists over all accounts. */
export const DELIVERY_ACCOUNT = 0;
export const DELIVERY_STATUS = 1;

export const deliveryCollection: Collection = {
  sort: (row: DeliveryRecord) => row.createdAt,
  index: [(row: DeliveryRecord) => row.account, (row: DeliveryRecord) => row.status],
};
