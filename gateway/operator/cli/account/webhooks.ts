/** `troupe webhooks`: the deliveries of an account, for operators; a delivery that waits can be hurried. */
import type { Command } from 'commander';
import { isWebhookEventId } from '../../../../actors/terms/ids.ts';
import { DELIVERY_ACCOUNT, type DeliveryRecord } from '../../../../actors/webhook/delivery-record.ts';
import { retryDelivery } from '../../../../actors/webhook/webhook.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount, type Session, withSession } from '../frame/session.ts';

/** The newest of them; an account's own view has pages. */
const LIST_MAX = 100;

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('list, show and hurry the webhooks of an account');
  webhooks
    .command('show')
    .argument('<event>', 'the event, as evt_...')
    .description('show one delivery with its attempts')
    .action((event: string, _: unknown, made: Command) => show(event, made.optsWithGlobals()));
  webhooks
    .command('retry')
    .argument('<event>', 'the event, as evt_...')
    .description('begin the next attempt of a waiting delivery now; it is one of its eight')
    .action((event: string, _: unknown, made: Command) => retry(event, made.optsWithGlobals()));
  webhooks
    .command('list')
    .argument('<account>', 'the account, as acct_...')
    .description('list the newest deliveries; `troupe why webhook:ACCOUNT/EVENT` explains one')
    .action((account: string, _: unknown, made: Command) => list(account, made.optsWithGlobals()));
}

async function show(event: string, options: GlobalOptions): Promise<void> {
  const delivery = shown(await withSession(options, (session) => deliveryOf(session, event)));
  print(options, delivery, () => rendered(delivery));
}

async function retry(event: string, options: GlobalOptions): Promise<void> {
  const delivery = await withSession(options, async (session) => {
    const { account, id } = await deliveryOf(session, event);
    const answer = await retryDelivery(session.cluster, { account, id }, ASK_MS);
    if ('refusal' in answer) throw new ConfigError(answer.refusal.message);
    return shown(answer);
  });
  print(options, delivery, () => rendered(delivery));
}

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

async function list(name: string, options: GlobalOptions): Promise<void> {
  const address = accountFrom(name);
  const account = address.slice('account:'.length);
  const where = { column: DELIVERY_ACCOUNT, equals: account } as const;
  const rows = await withSession(options, async (session) => {
    await requireAccount(session, address);
    return session.operator.rows({ collection: 'delivery', where, order: 'descending', limit: LIST_MAX });
  });
  const deliveries = rows.map(({ body }) => shown(JSON.parse(body) as DeliveryRecord));
  print(options, deliveries, () =>
    table(
      ['EVENT', 'TYPE', 'JOB', 'HOST', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT'],
      deliveries.map(({ id, type, job, host, status, attempts, createdAt, nextAttemptAt }) => [
        ...[id, type, job, host, status, attempts.map(({ outcome }) => outcome ?? 'running').join(' ') || '-'],
        ...[String(timeOf(createdAt)), timeOf(nextAttemptAt) ?? '-'],
      ]),
    ),
  );
}

/** The path of a URL may contain a receiver's token. */
function shown({ url, ...delivery }: DeliveryRecord) {
  return { ...delivery, host: new URL(url).host };
}
