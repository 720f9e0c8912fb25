/** `troupe webhooks`: the deliveries of an account, for operators. */
import type { Command } from 'commander';
import { DELIVERY_ACCOUNT, type DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom } from './names.ts';
import { print, table, timeOf } from './print.ts';
import { withSession } from './session.ts';

/** The newest of them; an account's own view has pages. */
const LIST_MAX = 100;

export function addWebhooks(program: Command): void {
  program
    .command('webhooks')
    .description('list the webhooks of an account')
    .command('list')
    .argument('<account>', 'the account, as acct_...')
    .description('list the newest deliveries; `troupe why webhook:ACCOUNT/EVENT` explains one')
    .action((account: string, _: unknown, made: Command) => list(account, made.optsWithGlobals()));
}

async function list(name: string, options: GlobalOptions): Promise<void> {
  const account = accountFrom(name).slice('account:'.length);
  const where = { column: DELIVERY_ACCOUNT, equals: account } as const;
  const rows = await withSession(options, ({ operator }) =>
    operator.rows({ collection: 'delivery', where, order: 'descending', limit: LIST_MAX }),
  );
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
