/**
 * `troupe accounts`: creates, funds, corrects, shows and lists accounts. Every change carries a natural id, so a repeat
 * has no effect.
 */
import type { PaidInAnswer } from '../../../../actors/account/account.ts';
import type { AccountView } from '../../../../actors/account/statement.ts';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { accountId, adjustmentId, depositId } from '../../../../actors/terms/ids.ts';
import type { ListedAccount } from '../../api/accounts.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { amountFrom, approverFrom, count, owner, reason } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { accountRecords } from './generations.ts';
import { signIn } from './sign-in.ts';
import { topAccounts } from './top-accounts.ts';

const ACCOUNT = { '<account>': owner('the account id') } as const;
const LISTED_USUALLY = 1_000;
const AMOUNT = { '<usd>': { meaning: 'the amount in USD, exact', parse: amountFrom } } as const;
const APPROVED_BY = {
  '--approved-by <person>': {
    meaning: 'who else has approved it, for the record; required above deposits.approvalAboveUsd',
    parse: approverFrom,
  },
} as const;

/** What a deposit, an adjustment or a refund answers. */
interface Made {
  readonly made: PaidInAnswer;
}

const change = (name: 'suspend' | 'resume', description: string) =>
  command(name, description, {
    arguments: ACCOUNT,
    options: { '--reason <text>': reason('why, for the record') },
    ask: ({ account, reason: why }, api) =>
      api.post<{ readonly status: string }>(route`/api/accounts/${account}/` + name, { reason: why }),
    json: ({ status }, { account }) => ({ account: `account:${account}`, status }),
    print: ({ status }, { account }) => pairs({ account, status }),
  });

function adjustmentText(account: string, { id, amount, reason: why, balance, repeated }: PaidInAnswer): string {
  return pairs({
    account,
    adjustment: id,
    amount: `${amount} USD`,
    reason: why,
    balance: `${balance} USD`,
    repeated: repeated || null,
  });
}

const show = command('show', 'show balance, holds and sums', {
  arguments: ACCOUNT,
  ask: ({ account }, api) => api.get<AccountView>(route`/api/accounts/${account}/sums`),
  print: (view, { account }) =>
    pairs({
      account,
      name: view.name || null,
      status: view.status,
      created: timeOf(view.createdAt),
      balance: `${view.balance} USD`,
      held: `${view.held} USD in ${view.holds} running`,
      available: `${view.available} USD`,
      deposits: `${view.deposits} USD`,
      charges: `${view.charges} USD`,
      adjustments: `${view.adjustments} USD`,
      keys: view.keys,
      ledger: `${view.sequence} entries`,
    }),
});

const list = command('list', 'list accounts with status and money, the newest first', {
  options: {
    '--name <text>': 'only accounts whose name begins with the text, in any case, or whose id it is',
    '--status <status>': { meaning: 'only these', choices: ['active', 'suspended', 'quarantined'] },
    '--limit <count>': count(`how many (default: ${LISTED_USUALLY})`, 'number of accounts'),
  },
  ask: ({ name, status, limit = LISTED_USUALLY }, api) =>
    api.list<ListedAccount>('/api/accounts', { query: name, status }, limit),
  print: (found) => {
    const rows = found.map((one) => [
      one.id,
      one.name,
      one.status,
      timeOf(one.createdAt),
      one.balance,
      one.held,
      one.fault,
    ]);
    return table(['ACCOUNT', 'NAME', 'STATUS', 'CREATED', 'BALANCE USD', 'HELD USD', ''], rows);
  },
});

export const commands = [
  group('accounts', 'create, fund, show, correct and list accounts', [
    command('create', 'create an account', {
      arguments: { '[name]': { meaning: 'a display name', default: '' } },
      options: {
        '--id <account>': owner(
          'the id of the account (default: a new one); repeating the command with the same id has no effect',
        ),
        '--reason <text>': reason('why, for the record', 'a new account'),
      },
      ask: ({ name, id = accountId(systemRandom), reason: why }, api) =>
        api.post<{ readonly id: string; readonly created: boolean }>('/api/accounts', { id, name, reason: why }),
      print: ({ id, created }, { name }) => pairs({ account: id, name, created: created ? 'now' : 'before' }),
    }),

    command('deposit', 'credit an account', {
      arguments: { ...ACCOUNT, ...AMOUNT },
      options: {
        '--id <deposit>': 'the natural id of the payment (default: a new one); the same id is credited once',
        '--reason <text>': reason('why, for the record', 'a deposit'),
        ...APPROVED_BY,
      },
      ask: async ({ account, usd, id = depositId(systemRandom), reason: why, approvedBy }, api) => {
        const body = { id, usd, reason: why, approvedBy };
        return (await api.post<Made>(route`/api/accounts/${account}/deposit`, body)).made;
      },
      print: ({ id, amount, balance, repeated }) =>
        pairs({ deposit: id, amount: `${amount} USD`, balance: `${balance} USD`, repeated: repeated || null }),
    }),
    list,
    change('suspend', 'answer every request of an account with 401 until it is resumed'),
    change('resume', 'let a suspended account send requests again'),

    command('adjust', 'correct the balance of an account', {
      arguments: { ...ACCOUNT, ...AMOUNT },
      options: {
        '--reason <text>': reason('why, for the record'),
        ...APPROVED_BY,
        '--take': 'take the amount from the balance instead of adding it',
        '--id <adjustment>': 'the natural id (default: a new one); the same id is recorded once',
      },
      ask: async ({ account, usd, reason: why, approvedBy, take, id = adjustmentId(systemRandom) }, api) => {
        const body = { id, usd: `${take ? '-' : ''}${usd}`, reason: why, approvedBy };
        return (await api.post<Made>(route`/api/accounts/${account}/adjust`, body)).made;
      },
      print: (made, { account }) => adjustmentText(account, made),
    }),

    command('refund', 'give back the charge of one generation; repeating the command has no effect', {
      arguments: { '<generation>': 'the generation id, gen-...' },
      options: { '--reason <text>': reason('why, for the record') },
      ask: ({ generation, reason: why }, api) =>
        api.post<Made & { readonly account: string }>(route`/api/generations/${generation}/refund`, { reason: why }),
      json: ({ made }) => made,
      print: ({ account, made }) => adjustmentText(account.slice('account:'.length), made),
    }),
    ...accountRecords,
    ...signIn,
    topAccounts,
    show,
  ]),
];
