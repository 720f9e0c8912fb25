/**
 * `troupe accounts`: creates, funds, corrects, shows and lists accounts. Every change carries a natural id, so a repeat
 * has no effect.
 */
import {
  changeAccount,
  createAccount,
  creditDeposit,
  type PaidInAnswer,
  recordAdjustment,
  showAccount,
} from '../../../../actors/account/account.ts';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { accountId, adjustmentId, depositId } from '../../../../actors/terms/ids.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { refund } from '../../../management/refund.ts';
import { askEach, isQuarantined, type Quarantined } from '../../../management/services.ts';
import { addressesOf } from '../../ask-all.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { amountFrom, COMMAND_LINE, count, owner, ownerFrom, reason } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { ASK_MS, type Session } from '../frame/session.ts';
import { APPROVED_BY, approvalOf } from '../money/approval.ts';
import { accountRecords } from './generations.ts';
import { signIn } from './sign-in.ts';
import { topAccounts } from './top-accounts.ts';

const ACCOUNT = { '<account>': owner('the account id') } as const;
/** Each is asked for its balance. */
const LISTED_USUALLY = 1_000;
const AMOUNT = { '<usd>': { meaning: 'the amount in USD, exact', parse: amountFrom } } as const;

function depositFrom(id: string): string {
  if (isPaymentDepositId(id)) throw new ConfigError(`${id} is the id of a payment; choose another`);
  return id;
}

/** The row of an account whose state does not load: only its id is known. */
function quarantined({ address, fault }: Quarantined) {
  return { account: address, name: '', status: 'quarantined', fault } as const;
}

interface ListedAccounts {
  /** In lower case. */
  readonly text: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** `isCut`: more accounts follow. */
async function listedAccounts({ operator, cluster }: Session, { text, after, limit }: ListedAccounts) {
  const views: (Awaited<ReturnType<typeof showAccount>> | ReturnType<typeof quarantined>)[] = [];
  for await (const addresses of addressesOf(operator, 'account', after)) {
    const answers = await askEach(addresses, (address) => showAccount(cluster, address, ASK_MS));
    const all = answers.map((one) => (isQuarantined(one) ? quarantined(one) : one));
    views.push(...all.filter(({ account, name }) => `${account} ${name}`.toLowerCase().includes(text)));
    if (views.length > limit) return { views: views.slice(0, limit), isCut: true };
  }
  return { views, isCut: false };
}

const change = (name: 'suspend' | 'resume', description: string) =>
  command(name, description, {
    arguments: ACCOUNT,
    ask: ({ account }, { cluster }) => changeAccount(cluster, account.address, name, ASK_MS, COMMAND_LINE),
    print: ({ status }, { account: { account } }) => pairs({ account, status }),
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
  ask: ({ account }, { cluster }) => showAccount(cluster, account.address, ASK_MS),
  print: (view, { account: { account } }) =>
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

export const commands = [
  group('accounts', 'create, fund, show, correct and list accounts', [
    command('create', 'create an account', {
      arguments: { '[name]': { meaning: 'a display name', default: '' } },
      options: {
        '--id <account>': owner(
          'the id of the account (default: a new one); repeating the command with the same id has no effect',
        ),
      },
      ask: async ({ name, id }, { cluster }) => {
        const { account, address } = id ?? ownerFrom(accountId(systemRandom));
        return { ...(await createAccount(cluster, address, name, ASK_MS)), id: account };
      },
      print: ({ id, name, created }) => pairs({ account: id, name, created: created ? 'now' : 'before' }),
    }),

    command('deposit', 'credit an account', {
      arguments: { ...ACCOUNT, ...AMOUNT },
      options: {
        '--id <deposit>': {
          meaning: 'the natural id of the payment (default: a new one); the same id is credited once',
          parse: depositFrom,
        },
        '--reason <text>': 'why, for the record',
        '--approved-by <person>': APPROVED_BY,
      },
      ask: ({ account, usd: amount, id = depositId(systemRandom), reason, approvedBy }, { cluster, found }) => {
        const why = reason === undefined ? {} : { reason };
        const approved = approvalOf(amount, approvedBy, found.config);
        return creditDeposit(cluster, account.address, { id, amount, ...why, ...approved, by: COMMAND_LINE }, ASK_MS);
      },
      print: ({ id, amount, balance, repeated }) =>
        pairs({ deposit: id, amount: `${amount} USD`, balance: `${balance} USD`, repeated: repeated || null }),
    }),

    command('list', 'list accounts with status and money, by their ids', {
      options: {
        '--name <text>': 'only accounts whose name or id contains the text, in any case',
        '--after <account>': owner('the account id behind which the list begins'),
        '--limit <count>': count(`how many (default: ${LISTED_USUALLY})`, 'number of accounts'),
      },
      ask: ({ name = '', after, limit = LISTED_USUALLY }, session) =>
        listedAccounts(session, { text: name.toLowerCase(), after: after?.address, limit }),
      json: ({ views }) => views,
      print: ({ views, isCut }) => {
        const rows = views.map((view) => [
          view.account.slice('account:'.length),
          view.name,
          view.status,
          ...('fault' in view
            ? ['', '-', '-', '-', '-', view.fault]
            : [timeOf(view.createdAt), view.balance, view.held, view.charges, view.keys]),
        ]);
        const head = ['ACCOUNT', 'NAME', 'STATUS', 'CREATED', 'BALANCE USD', 'HELD USD', 'CHARGED USD', 'KEYS', ''];
        return `${table(head, rows)}${isCut ? `\nmore: --after ${views.at(-1)?.account}` : ''}`;
      },
    }),
    change('suspend', 'answer every request of an account with 401 until it is resumed'),
    change('resume', 'let a suspended account send requests again'),

    command('adjust', 'correct the balance of an account', {
      arguments: { ...ACCOUNT, ...AMOUNT },
      options: {
        '--reason <text>': reason('why, for the record'),
        '--approved-by <person>': APPROVED_BY,
        '--take': 'take the amount from the balance instead of adding it',
        '--id <adjustment>': 'the natural id (default: a new one); the same id is recorded once',
      },
      ask: ({ account, usd, reason, approvedBy, take, id = adjustmentId(systemRandom) }, { cluster, found }) => {
        const approved = approvalOf(usd, approvedBy, found.config);
        const adjustment = { id, amount: `${take ? '-' : ''}${usd}`, reason, ...approved, by: COMMAND_LINE };
        return recordAdjustment(cluster, account.address, adjustment, ASK_MS);
      },
      print: (made, { account: { account } }) => adjustmentText(account, made),
    }),

    command('refund', 'give back the charge of one generation; repeating the command has no effect', {
      arguments: { '<generation>': 'the generation id, gen-...' },
      options: { '--reason <text>': reason('why, for the record') },
      ask: ({ generation, reason: why }, { services }) =>
        refund(services, generation, { reason: why, by: COMMAND_LINE }),
      json: ({ made }) => made,
      print: ({ account, made }) => adjustmentText(account.slice('account:'.length), made),
    }),
    ...accountRecords,
    ...signIn,
    topAccounts,
    show,
  ]),
];
