/** `troupe deposits` and `troupe statements`: money in, and the ledger of a month, for operators. */
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import type { Month } from '../../../../actors/terms/month.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { statementLines } from '../../../management/statement.ts';
import type { ShownDeposit } from '../../api/money.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { owner, reason } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { pairs, table, timeOf } from '../frame/print.ts';

/** The newest of them. */
const LIST_MAX = 100;
const ACCOUNT = { '<account>': owner('the account, as acct_...') } as const;

function paymentFrom(text: string): string {
  if (isPaymentDepositId(text)) return text;
  throw new ConfigError(`"${text}" is not the deposit of a payment; write dep_...`);
}

export const commands = [
  group('deposits', 'list deposits, resolve payments, set the notice of a low balance', [
    command('list', `list the newest ${LIST_MAX} deposits of an account, and its payments that are not credited`, {
      arguments: ACCOUNT,
      ask: ({ account }, api) => api.listOf<ShownDeposit>('/api/deposits', account, LIST_MAX),
      print: (deposits) =>
        table(
          ['DEPOSIT', 'AT', 'STATUS', 'USD', 'RAIL', 'REASON OR TRANSACTION'],
          deposits.map(({ id, at, status, amount, rail, why, transaction }) => {
            return [id, timeOf(at), status, amount, rail, why ?? transaction];
          }),
        ),
    }),

    command('review', 'list the payments whose outcome an operator has to find out', {
      ask: (_, api) => api.list<ShownDeposit>('/api/deposits', { status: 'review' }, LIST_MAX),
      print: (found) =>
        table(
          ['DEPOSIT', 'AT', 'ACCOUNT', 'USD', 'NETWORK', 'PAYER', 'TRANSACTION', 'REASON'],
          found.map(({ id, at, account, amount, network, payer, transaction, why }) => [
            id,
            timeOf(at),
            account.replace(/^account:/, ''),
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
      ask: async ({ deposit, reason: why, transaction = null, unpaid = false }, api) => {
        if ((transaction !== null) === unpaid) throw new ConfigError('give either --transaction HASH or --unpaid');
        return api.post<Resolved>(route`/api/deposits/${deposit}/resolve`, { transaction, reason: why });
      },
      print: ({ status, amount }, { deposit, transaction }) =>
        pairs({ deposit, status, amount: `${amount} USD`, transaction }),
    }),

    command('notice', 'set the notice of a low balance', {
      arguments: { ...ACCOUNT, '<usd>': 'the balance below which its owner is told, or "off"' },
      options: { '--reason <text>': reason('why, for the record') },
      ask: async ({ account, usd, reason: why }, api) => {
        const body = { below: usd === 'off' ? null : usd, reason: why };
        const { lowBalance } = await api.post<Notice>(route`/api/accounts/${account}/notice`, body);
        return { lowBalance };
      },
      print: ({ lowBalance }, { account }) =>
        pairs({ account, notice: lowBalance === null ? 'off' : `below ${lowBalance} USD` }),
    }),
  ]),
  command('statements', 'print the ledger of one UTC month as CSV, between its opening and closing balance', {
    arguments: { ...ACCOUNT, '[month]': 'YYYY-MM (default: the month of the newest entry)' },
    ask: async ({ account, month }, api) => {
      const path = route`/api/accounts/${account}/statement`;
      const first = await api.get<StatementPage>(path, { month });
      const pages = entriesFrom(api, path, first);
      for await (const piece of statementLines({ month: first.month, opening: { balance: first.opening } }, pages)) {
        process.stdout.write(piece);
      }
    },
  }),
];

interface Resolved {
  readonly status: string;
  readonly amount: string;
}

interface Notice {
  readonly lowBalance: string | null;
}

interface StatementPage {
  readonly month: Month;
  readonly opening: string;
  readonly data: readonly LedgerEntry[];
  readonly next: string | null;
}

async function* entriesFrom(api: OperatorApi, path: string, first: StatementPage) {
  for (let page = first; ; ) {
    yield page.data;
    if (page.next === null) return;
    page = await api.get<StatementPage>(path, { month: page.month.name, cursor: page.next });
  }
}
