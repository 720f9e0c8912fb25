/** `troupe webhooks`: the deliveries of an account, for operators; a delivery that waits can be hurried. */
import { isWebhookEventId } from '../../../../actors/terms/ids.ts';
import { DELIVERY_ACCOUNT, type DeliveryRecord } from '../../../../actors/webhook/delivery-record.ts';
import { retryDelivery } from '../../../../actors/webhook/webhook.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { owner } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount, type Session } from '../frame/session.ts';

/** The newest of them; an account's own view has pages. */
const LIST_MAX = 100;
const EVENT = { '<event>': 'the event, as evt_...' } as const;

export const commands = [
  group('webhooks', 'list, show and hurry the webhooks of an account', [
    command('show', 'show one delivery with its attempts', {
      arguments: EVENT,
      ask: async ({ event }, session) => shown(await deliveryOf(session, event)),
      print: rendered,
    }),
    command('retry', 'begin the next attempt of a waiting delivery now; it is one of its eight', {
      arguments: EVENT,
      ask: async ({ event }, session) => {
        const { account, id } = await deliveryOf(session, event);
        const answer = await retryDelivery(session.cluster, { account, id }, ASK_MS);
        if ('refusal' in answer) throw new ConfigError(answer.refusal.message);
        return shown(answer);
      },
      print: rendered,
    }),
    command('list', 'list the newest deliveries; `troupe why webhook:ACCOUNT/EVENT` explains one', {
      arguments: { '<account>': owner('the account, as acct_...') },
      ask: async ({ account: { account, address } }, session) => {
        await requireAccount(session, address);
        const where = { column: DELIVERY_ACCOUNT, equals: account } as const;
        const query = { collection: 'delivery', where, order: 'descending', limit: LIST_MAX } as const;
        const rows = await session.operator.rows(query);
        return rows.map(({ body }) => shown(JSON.parse(body) as DeliveryRecord));
      },
      print: (deliveries) =>
        table(
          ['EVENT', 'TYPE', 'JOB', 'HOST', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT'],
          deliveries.map(({ id, type, job, host, status, attempts, createdAt, nextAttemptAt }) => [
            id,
            type,
            job,
            host,
            status,
            attempts.map(({ outcome }) => outcome ?? 'running').join(' ') || '-',
            timeOf(createdAt),
            timeOf(nextAttemptAt) ?? '-',
          ]),
        ),
    }),
  ]),
];

async function deliveryOf({ operator }: Session, event: string): Promise<DeliveryRecord> {
  const row = isWebhookEventId(event) ? await operator.rowById('delivery', event) : null;
  if (row === null) throw new ConfigError(`there is no webhook ${event}; \`troupe webhooks list ACCOUNT\` shows them`);
  return JSON.parse(row.body) as DeliveryRecord;
}

function rendered({ attempts, createdAt, nextAttemptAt, endedAt, ...delivery }: ReturnType<typeof shown>): string {
  const tries = attempts.map(({ at, outcome }) => `${timeOf(at)} ${outcome ?? 'running'}`);
  const times = { created: timeOf(createdAt), next: timeOf(nextAttemptAt), ended: timeOf(endedAt) };
  return pairs({ ...delivery, ...times, attempts: tries.join(', ') || '-' });
}

/** The path of a URL may contain a receiver's token. */
function shown({ url, ...delivery }: DeliveryRecord) {
  return { ...delivery, host: new URL(url).host };
}
