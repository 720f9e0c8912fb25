/**
 * `troupe accounts`: creates, funds, shows and lists accounts. Every change carries a natural id, so a repeat has no effect.
 */
import type { Command } from 'commander';
import { createAccount, creditDeposit, showAccount } from '../../../../actors/account/account.ts';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { accountAddress, accountId, depositId } from '../../../../actors/terms/ids.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { isQuarantined, type Quarantined } from '../../../management/ask-each.ts';
import { ACTORS_MAX, askAll } from '../../ask-all.ts';
import { ConfigError } from '../../config/config-error.ts';
import { COMMAND_LINE } from '../frame/command-line.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, amountFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, withSession } from '../frame/session.ts';
import { APPROVED_BY, type ApprovalOptions, approvalOf } from '../money/approval.ts';
import { addAccountChanges } from './account-changes.ts';
import { addAccountRecords } from './generations.ts';
import { addSignIn } from './sign-in.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('create, fund, show, correct and list accounts');
  accounts
    .command('create')
    .argument('[name]', 'a display name', '')
    .option(
      '--id <account>',
      'the id of the account (default: a new one); repeating the command with the same id has no effect',
    )
    .description('create an account')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { id?: string }>();
      const address = options.id === undefined ? accountAddress(accountId(systemRandom)) : accountFrom(options.id);
      const made = await withSession(options, ({ cluster }) => createAccount(cluster, address, name, ASK_MS));
      const account = address.slice('account:'.length);
      print(options, { ...made, id: account }, () =>
        pairs({ account, name: made.name, created: made.created ? 'now' : 'before' }),
      );
    });
  accounts
    .command('deposit')
    .argument('<account>', 'the account id')
    .argument('<usd>', 'the amount in USD, exact')
    .option('--id <deposit>', 'the natural id of the payment (default: a new one); the same id is credited once')
    .option('--reason <text>', 'why, for the record')
    .option('--approved-by <person>', APPROVED_BY)
    .description('credit an account')
    .action(async (account: string, amount: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ApprovalOptions & { id?: string; reason?: string }>();
      const { id = depositId(systemRandom), reason } = options;
      if (isPaymentDepositId(id)) throw new ConfigError(`${id} is the id of a payment; choose another`);
      const why = reason === undefined ? {} : { reason };
      const usd = amountFrom(amount);
      const approved = await approvalOf(usd, options);
      const deposit = { id, amount: usd, ...why, ...approved, by: COMMAND_LINE };
      const address = accountFrom(account);
      const paid = await withSession(options, ({ cluster }) => creditDeposit(cluster, address, deposit, ASK_MS));
      print(options, paid, () =>
        pairs({
          deposit: paid.id,
          amount: `${paid.amount} USD`,
          balance: `${paid.balance} USD`,
          repeated: paid.repeated || null,
        }),
      );
    });
  accounts
    .command('list')
    .option('--name <text>', 'only accounts whose name or id contains the text, in any case')
    .description(`list accounts with status and money, at most ${ACTORS_MAX}`)
    .action(async (_: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
  addAccountChanges(accounts);
  addAccountRecords(accounts);
  addSignIn(accounts);
  addShow(accounts);
}

function addShow(accounts: Command): void {
  accounts
    .command('show')
    .argument('<account>', 'the account id')
    .description('show balance, holds and sums')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = accountFrom(account);
      const view = await withSession(options, ({ cluster }) => showAccount(cluster, address, ASK_MS));
      print(options, view, () =>
        pairs({
          account: address.slice('account:'.length),
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
      );
    });
}

/** The row of an account whose state does not load: only its id is known. */
function quarantined({ address, fault }: Quarantined) {
  return { account: address, name: '', status: 'quarantined', fault } as const;
}

interface ListOptions extends GlobalOptions {
  readonly name?: string;
}

async function list(options: ListOptions): Promise<void> {
  const wanted = options.name?.toLowerCase() ?? '';
  const { views, isCut } = await withSession(options, async (session) => {
    const answers = await askAll(session, 'account', (address) => showAccount(session.cluster, address, ASK_MS));
    const all = answers.map((one) => (isQuarantined(one) ? quarantined(one) : one));
    const matching = all.filter(({ account, name }) => `${account} ${name}`.toLowerCase().includes(wanted));
    return { views: matching, isCut: all.length === ACTORS_MAX };
  });
  print(options, views, () => {
    const rows = views.map((view) => [
      view.account.slice('account:'.length),
      view.name,
      view.status,
      ...('fault' in view
        ? ['', '-', '-', '-', '-', view.fault]
        : [timeOf(view.createdAt) ?? '', view.balance, view.held, view.charges, String(view.keys)]),
    ]);
    const head = ['ACCOUNT', 'NAME', 'STATUS', 'CREATED', 'BALANCE USD', 'HELD USD', 'CHARGED USD', 'KEYS', ''];
    return `${table(head, rows)}${isCut ? `\nonly the first ${ACTORS_MAX} accounts were looked at` : ''}`;
  });
}
