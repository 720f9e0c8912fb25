/** The webhook kind: one actor per event. Its deliveries are read from the store, on any node. */
import { AskError, type Cluster, type Json, type Kind, type View } from '../runtime/index.ts';
import { ask } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { webhookAddress } from '../terms/ids.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { DELIVER_ACTIVITY, type WebhookState } from './delivery.ts';
import { ATTEMPTS_MAX, DELIVERY_ACCOUNT, type DeliveryRecord, deliveryCollection } from './delivery-record.ts';
import { webhookMachine } from './webhook.machine.ts';

/** For `why`: what a delivery waits for, and how its attempts ended. The runtime adds the runner of a running one. */
function explainWebhook({ state, context, now }: View): readonly string[] {
  const { webhook, attempts, nextAttemptAt, endedAt } = context as unknown as WebhookState;
  if (webhook === null) return ['The webhook is being created.'];
  const ends = attempts.flatMap(({ outcome }) => outcome ?? []);
  const past = ends.length === 0 ? [] : [`Attempts so far: ${ends.join(', ')}.`];
  const what = `${webhook.type} of ${webhook.job}`;
  switch (state) {
    case 'delivering':
      return [`${what} is being posted: attempt ${attempts.length} of ${ATTEMPTS_MAX}.`, ...past];
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil(((nextAttemptAt ?? now) - now) / 1_000));
      return [`${what} waits ${seconds} s for attempt ${attempts.length + 1} of ${ATTEMPTS_MAX}.`, ...past];
    }
    default:
      return [`${what} is ${state} since ${new Date(endedAt ?? now).toISOString()}.`, ...past];
  }
}

export const webhookKind: Kind = {
  name: 'webhook',
  machine: webhookMachine,
  version: 1,
  creates: ['webhook.create'],
  finishes: [],
  volatile: [],
  activities: [DELIVER_ACTIVITY],
  collections: { delivery: deliveryCollection },
  history: EVERY_STEP,
  explain: explainWebhook,
  redact,
};

/** Operators see neither the body nor the path of the URL, which may contain a receiver's token. */
function redact(context: Json): Json {
  const { webhook, ...state } = context as unknown as WebhookState;
  if (webhook === null) return context;
  const { body: _, url, ...known } = webhook;
  return { ...state, webhook: { ...known, url: new URL(url).origin } } as unknown as Json;
}

/**
 * Begins the next attempt of a waiting delivery now: one of its eight, with the same id and bytes. One that is being
 * delivered is returned unchanged. Refused: 404, 409 once it is delivered or has failed.
 */
export async function retryDelivery(
  cluster: Pick<Cluster, 'ask'>,
  { account, id }: { readonly account: string; readonly id: string },
  withinMs: number,
): Promise<DeliveryRecord | RefusedAnswer> {
  try {
    return await ask<DeliveryRecord | RefusedAnswer>(
      cluster,
      webhookAddress(account, id),
      { type: 'webhook.hurry' },
      withinMs,
    );
  } catch (thrown) {
    if (!(thrown instanceof AskError) || thrown.failure.code !== 'absent') throw thrown;
    return { refusal: { status: 404, type: 'not_found', message: 'No such delivery' } };
  }
}

interface DeliveryQuery {
  /** 1 to 1000. */
  readonly limit: number;
  /** Continues after this event; null begins. */
  readonly after: string | null;
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRecord[];
  readonly hasMore: boolean;
}

/** Deliveries of an account, newest first. Null: `after` names no delivery of this account. */
export async function listDeliveries(
  cluster: Cluster,
  account: string,
  { limit, after }: DeliveryQuery,
): Promise<DeliveryPage | null> {
  const where = { column: DELIVERY_ACCOUNT, equals: account } as const;
  const query = { collection: 'delivery', where, order: 'descending', limit: limit + 1 } as const;
  let cursor = {};
  if (after !== null) {
    const last = await cluster.rows.row(webhookAddress(account, after), 'delivery', after);
    if (last === null) return null;
    cursor = { after: { sort: last.sort, id: last.id } };
  }
  const rows = await cluster.rows.rows({ ...query, ...cursor });
  const deliveries = rows.slice(0, limit).map(({ body }) => JSON.parse(body) as DeliveryRecord);
  return { deliveries, hasMore: rows.length > limit };
}
