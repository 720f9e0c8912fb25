import { Type } from 'typebox';
import type { RowReader } from '../../../../actors/runtime/index.ts';
import { isWebhookEventId, webhookAddress } from '../../../../actors/terms/ids.ts';
import type { DeliveryRecord } from '../../../../actors/webhook/delivery-record.ts';
import { retryDelivery } from '../../../../actors/webhook/webhook.ts';
import { refusalError } from '../../../terms/gateway-error.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { ASK_MS } from '../account/managing.ts';

export const oneDeliveryRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/webhooks/:event',
    policy: 'viewer',
    summary: 'One delivery with its attempts.',
    answer: async ({ cluster, params }) => shownDelivery(await deliveryOf(cluster.rows, params.event)),
  }),
  change({
    path: '/api/webhooks/:event/retry',
    summary: 'Begin the next attempt of a waiting delivery now; it is one of its eight.',
    answers: { delivery: Type.Object({}, { description: 'the delivery as it is then' }) },
    plan: async ({ cluster, params, body }): Promise<ChangePlan> => {
      const { account, id } = await deliveryOf(cluster.rows, params.event);
      return {
        would: `begin the next attempt of ${id} now`,
        command: `troupe webhooks retry ${id} --reason ${quoted(body.reason)}`,
        audit: { action: 'webhook.retry', target: webhookAddress(account, id), detail: {} },
        run: async () => {
          const answer = await retryDelivery(cluster, { account, id }, ASK_MS);
          if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
          return { did: `began the next attempt of ${id}`, delivery: shownDelivery(answer) };
        },
      };
    },
  }),
];

async function deliveryOf(rows: RowReader, event: string): Promise<DeliveryRecord> {
  const row = isWebhookEventId(event) ? await rows.rowById('delivery', event) : null;
  if (row === null) throw isAbsent(`webhook:ACCOUNT/${event}`);
  return JSON.parse(row.body) as DeliveryRecord;
}

export type ShownDelivery = ReturnType<typeof shownDelivery>;

/** The path of a URL may contain a receiver's token. */
function shownDelivery({ url, ...delivery }: DeliveryRecord) {
  return { ...delivery, host: new URL(url).host };
}
