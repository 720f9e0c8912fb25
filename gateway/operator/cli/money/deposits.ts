/** `troupe deposits` and `troupe statements`: money in, and the ledger of a month, for operators. */
import { paymentsOf, resolvePayment } from '../../../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../../../actors/payment/payment-state.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { type Deposit, isCredited, listDeposits } from '../../../management/deposits.ts';
import { setNotice } from '../../../management/low-balance.ts';
import { requireStatement } from '../../../management/statement.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { COMMAND_LINE, owner, reason } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount } from '../frame/session.ts';

/** The newest of them. */
const LIST_MAX = 100;
const ACCOUNT = { '<account>': owner('the account, as acct_...') } as const;

function cells({ id, at, record }: Deposit): readonly (string | null)[] {
  if (!isCredited(record)) return [id, timeOf(at), record.status, record.amount, 'x402', record.reason];
  const { amount, source, reason: why } = record;
  return [id, timeOf(at), 'credited', amount, source?.rail ?? 'operator', why ?? source?.transaction ?? ''];
}

function paymentFrom(text: string): string {
  if (isPaymentDepositId(text)) return text;
  throw new ConfigError(`"${text}" is not the deposit of a payment; write dep_...`);
}

export const commands = [
  group('deposits', 'list deposits, resolve payments, set the notice of a low balance', [
    command('list', `list the newest ${LIST_MAX} deposits of an account, and its payments that are not credited`, {
      arguments: ACCOUNT,
      ask: async ({ account }, session) => {
        await requireAccount(session, account.address);
        return (await listDeposits(session.services, account, { limit: LIST_MAX, after: null })).deposits;
      },
      json: (deposits) => {
        const records = deposits.map(({ record }) => record);
        return { credited: records.filter(isCredited), payments: records.filter((record) => !isCredited(record)) };
      },
      print: (deposits) =>
        table(['DEPOSIT', 'AT', 'STATUS', 'USD', 'RAIL', 'REASON OR TRANSACTION'], deposits.map(cells)),
    }),

    command('review', 'list the payments whose outcome an operator has to find out', {
      ask: async (_, { operator }) => {
        const query = { ...paymentsOf('review'), order: 'ascending', limit: LIST_MAX } as const;
        return (await operator.rows(query)).map(({ body }) => JSON.parse(body) as PaymentRecord);
      },
      print: (found) =>
        table(
          ['DEPOSIT', 'AT', 'ACCOUNT', 'USD', 'NETWORK', 'PAYER', 'TRANSACTION', 'REASON'],
          found.map(({ id, createdAt, account, amount, network, payer, transaction, reason: why }) => [
            id,
            timeOf(createdAt),
            account,
            amount,
            network,
            payer,
            transaction ?? '-',
            why,
          ]),
        ),
    }),

    command('resolve', 'end the review of a payment: credit it by its transaction, or let it fail', {
      arguments: { '<deposit>': { meaning: 'the id, dep_...', parse: paymentFrom } },
      options: {
        '--reason <text>': reason('what was found out, for the record'),
        '--transaction <hash>': 'the transaction that paid it',
        '--unpaid': 'the network has no such payment',
      },
      ask: async ({ deposit, reason: why, transaction = null, unpaid = false }, { cluster }) => {
        if ((transaction !== null) === unpaid) throw new ConfigError('give either --transaction HASH or --unpaid');
        const found = { transaction, reason: why, by: COMMAND_LINE };
        const answer = await resolvePayment(cluster, deposit, found, ASK_MS);
        if ('refusal' in answer) throw new ConfigError(`${deposit}: ${answer.refusal.message}`);
        return answer;
      },
      print: ({ status, amount }, { deposit, transaction }) =>
        pairs({ deposit, status, amount: `${amount} USD`, transaction }),
    }),

    command('notice', 'set the notice of a low balance', {
      arguments: { ...ACCOUNT, '<usd>': 'the balance below which its owner is told, or "off"' },
      ask: async ({ account, usd }, { services }) => ({
        lowBalance: await setNotice(services, account, { low_balance: usd === 'off' ? null : usd }),
      }),
      print: ({ lowBalance }, { account: { account } }) =>
        pairs({ account, notice: lowBalance === null ? 'off' : `below ${lowBalance} USD` }),
    }),
  ]),
  command('statements', 'print the ledger of one UTC month as CSV, between its opening and closing balance', {
    arguments: { ...ACCOUNT, '[month]': 'YYYY-MM (default: the month of the newest entry)' },
    ask: async ({ account: { address }, month = null }, session) => {
      await requireAccount(session, address);
      const { lines } = await requireStatement(session.services, address, month);
      for await (const piece of lines) process.stdout.write(piece);
    },
  }),
];
