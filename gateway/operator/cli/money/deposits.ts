/** `troupe deposits` and `troupe statements`: money in, and the ledger of a month, for operators. */
import type { Command } from 'commander';
import { openPayments, resolvePayment } from '../../../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../../../actors/payment/payment-state.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { type Deposit, isCredited, listDeposits } from '../../../management/deposits.ts';
import { setNotice } from '../../../management/low-balance.ts';
import { requireStatement } from '../../../management/statement.ts';
import { ConfigError } from '../../config/config-error.ts';
import { COMMAND_LINE } from '../frame/command-line.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, tenantFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount, withManagement, withSession } from '../frame/session.ts';

/** The newest of them. */
const LIST_MAX = 100;
const REASON_CHARACTERS_MAX = 500;

export function addDeposits(program: Command): void {
  const deposits = program
    .command('deposits')
    .description('list deposits, resolve payments, set the notice of a low balance');
  deposits
    .command('list')
    .argument('<account>', 'the account, as acct_...')
    .description(`list the newest ${LIST_MAX} deposits of an account, and its payments that are not credited`)
    .action((account: string, _: unknown, made: Command) => list(account, made.optsWithGlobals()));
  deposits
    .command('review')
    .description('list the payments whose outcome an operator has to find out')
    .action((_: unknown, made: Command) => review(made.optsWithGlobals()));
  deposits
    .command('resolve')
    .argument('<deposit>', 'the id, dep_...')
    .requiredOption('--reason <text>', 'what was found out, for the record')
    .option('--transaction <hash>', 'the transaction that paid it')
    .option('--unpaid', 'the network has no such payment')
    .description('end the review of a payment: credit it by its transaction, or let it fail')
    .action((deposit: string, _: unknown, made: Command) => resolve(deposit, made.optsWithGlobals<ResolveOptions>()));
  deposits
    .command('notice')
    .argument('<account>', 'the account, as acct_...')
    .argument('<usd>', 'the balance below which its owner is told, or "off"')
    .description('set the notice of a low balance')
    .action((account: string, usd: string, _: unknown, made: Command) => notice(account, usd, made.optsWithGlobals()));
  program
    .command('statements')
    .argument('<account>', 'the account, as acct_...')
    .argument('[month]', 'YYYY-MM (default: the month of the newest entry)')
    .description('print the ledger of one UTC month as CSV, between its opening and closing balance')
    .action((account: string, month: string | undefined, _: unknown, made: Command) =>
      statement(account, month, made.optsWithGlobals()),
    );
}

async function list(name: string, options: GlobalOptions): Promise<void> {
  const deposits = await withManagement(options, async (services, session) => {
    await requireAccount(session, accountFrom(name));
    return (await listDeposits(services, tenantFrom(name), { limit: LIST_MAX, after: null })).deposits;
  });
  const records = deposits.map(({ record }) => record);
  const credited = records.filter(isCredited);
  const payments = records.filter((record) => !isCredited(record));
  print(options, { credited, payments }, () => table(HEAD, deposits.map(cells)));
}

const HEAD = ['DEPOSIT', 'AT', 'STATUS', 'USD', 'RAIL', 'REASON OR TRANSACTION'];

function cells({ id, at, record }: Deposit): readonly string[] {
  const when = timeOf(at) ?? '';
  if (!isCredited(record)) return [id, when, record.status, record.amount, 'x402', record.reason ?? ''];
  const { amount, source, reason } = record;
  return [id, when, 'credited', amount, source?.rail ?? 'operator', reason ?? source?.transaction ?? ''];
}

async function review(options: GlobalOptions): Promise<void> {
  const query = { ...openPayments('review'), order: 'ascending', limit: LIST_MAX } as const;
  const rows = await withSession(options, ({ operator }) => operator.rows(query));
  const found = rows.map(({ body }) => JSON.parse(body) as PaymentRecord);
  print(options, found, () =>
    table(
      ['DEPOSIT', 'AT', 'ACCOUNT', 'USD', 'NETWORK', 'PAYER', 'TRANSACTION', 'REASON'],
      found.map(({ id, createdAt, account, amount, network, payer, transaction, reason }) => [
        ...[id, timeOf(createdAt) ?? '', account, amount, network, payer, transaction ?? '-', reason ?? ''],
      ]),
    ),
  );
}

interface ResolveOptions extends GlobalOptions {
  readonly reason: string;
  readonly transaction?: string;
  readonly unpaid?: boolean;
}

async function resolve(deposit: string, options: ResolveOptions): Promise<void> {
  if (!isPaymentDepositId(deposit))
    throw new ConfigError(`"${deposit}" is not the deposit of a payment; write dep_...`);
  const { transaction = null, unpaid = false } = options;
  if ((transaction !== null) === unpaid) throw new ConfigError('give either --transaction HASH or --unpaid');
  const reason = options.reason.trim();
  if (reason === '' || reason.length > REASON_CHARACTERS_MAX) {
    throw new ConfigError(`--reason must have 1 to ${REASON_CHARACTERS_MAX} characters`);
  }
  const found = { transaction, reason, by: COMMAND_LINE };
  const answer = await withSession(options, ({ cluster }) => resolvePayment(cluster, deposit, found, ASK_MS));
  if ('refusal' in answer) throw new ConfigError(`${deposit}: ${answer.refusal.message}`);
  print(options, answer, () => pairs({ deposit, status: answer.status, amount: `${answer.amount} USD`, transaction }));
}

async function notice(name: string, usd: string, options: GlobalOptions): Promise<void> {
  const tenant = tenantFrom(name);
  const input = { low_balance: usd === 'off' ? null : usd };
  const lowBalance = await withManagement(options, (services) => setNotice(services, tenant, input));
  const text = lowBalance === null ? 'off' : `below ${lowBalance} USD`;
  print(options, { lowBalance }, () => pairs({ account: tenant.account, notice: text }));
}

async function statement(name: string, month: string | undefined, options: GlobalOptions): Promise<void> {
  const address = accountFrom(name);
  await withManagement(options, async (services, session) => {
    await requireAccount(session, address);
    const { lines } = await requireStatement(services, address, month ?? null);
    for await (const piece of lines) process.stdout.write(piece);
  });
}
