/** `troupe accounts suspend|resume|adjust|refund`: an operator's changes of an account. */
import type { Command } from 'commander';
import {
  type PaidInAnswer,
  recordAdjustment,
  resumeAccount,
  suspendAccount,
} from '../../../../actors/account/account.ts';
import type { AccountView } from '../../../../actors/account/statement.ts';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { adjustmentId } from '../../../../actors/terms/ids.ts';
import { requireGeneration } from '../../../management/generations.ts';
import { ConfigError } from '../../config/config-error.ts';
import { COMMAND_LINE } from '../frame/command-line.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, amountFrom } from '../frame/names.ts';
import { pairs, print } from '../frame/print.ts';
import { ASK_MS, withManagement, withSession } from '../frame/session.ts';
import { APPROVED_BY, type ApprovalOptions, approvalOf } from '../money/approval.ts';

const REASON_CHARACTERS_MAX = 500;

export function addAccountChanges(accounts: Command): void {
  addSwitch(accounts, 'suspend', 'answer every request of an account with 401 until it is resumed', suspendAccount);
  addSwitch(accounts, 'resume', 'let a suspended account send requests again', resumeAccount);
  accounts
    .command('adjust')
    .argument('<account>', 'the account id')
    .argument('<usd>', 'the amount in USD, exact')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--approved-by <person>', APPROVED_BY)
    .option('--take', 'take the amount from the balance instead of adding it')
    .option('--id <adjustment>', 'the natural id (default: a new one); the same id is recorded once')
    .description('correct the balance of an account')
    .action(async (account: string, amount: string, _: unknown, command: Command) =>
      adjust(account, amount, command.optsWithGlobals<AdjustOptions>()),
    );
  accounts
    .command('refund')
    .argument('<generation>', 'the generation id, gen-...')
    .requiredOption('--reason <text>', 'why, for the record')
    .description('give back the charge of one generation; repeating the command has no effect')
    .action(async (generation: string, _: unknown, command: Command) =>
      refund(generation, command.optsWithGlobals<AdjustOptions>()),
    );
}

function addSwitch(
  accounts: Command,
  name: 'suspend' | 'resume',
  description: string,
  change: typeof suspendAccount,
): void {
  accounts
    .command(name)
    .argument('<account>', 'the account id')
    .description(description)
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = accountFrom(account);
      const view: AccountView = await withSession(options, ({ cluster }) =>
        change(cluster, address, ASK_MS, COMMAND_LINE),
      );
      print(options, view, () => pairs({ account: address.slice('account:'.length), status: view.status }));
    });
}

interface AdjustOptions extends ApprovalOptions {
  readonly reason: string;
  readonly take?: boolean;
  readonly id?: string;
}

async function adjust(account: string, text: string, options: AdjustOptions): Promise<void> {
  const address = accountFrom(account);
  const usd = amountFrom(text);
  const approved = await approvalOf(usd, options);
  const { id = adjustmentId(systemRandom) } = options;
  const amount = `${options.take ? '-' : ''}${usd}`;
  const adjustment = { id, amount, reason: reasonOf(options), ...approved, by: COMMAND_LINE };
  const made = await withSession(options, ({ cluster }) => recordAdjustment(cluster, address, adjustment, ASK_MS));
  printAdjustment(address, made, options);
}

/** The id of the adjustment is derived from the generation, so that a charge is given back once. */
async function refund(id: string, options: AdjustOptions): Promise<void> {
  const reason = reasonOf(options);
  await withManagement(options, async (services, { cluster }) => {
    const { account, generation } = await requireGeneration(services, null, id);
    const cost = generation.settlement?.cost ?? '0';
    if (cost === '0') throw new ConfigError(`${id} has no charge: it is ${generation.status}`);
    const adjustment = { id: `refund-${id}`, amount: cost, reason, by: COMMAND_LINE };
    printAdjustment(account, await recordAdjustment(cluster, account, adjustment, ASK_MS), options);
  });
}

function reasonOf({ reason }: AdjustOptions): string {
  const text = reason.trim();
  if (text !== '' && text.length <= REASON_CHARACTERS_MAX) return text;
  throw new ConfigError(`--reason must have 1 to ${REASON_CHARACTERS_MAX} characters`);
}

function printAdjustment(address: string, made: PaidInAnswer, options: GlobalOptions): void {
  print(options, made, () =>
    pairs({
      account: address.slice('account:'.length),
      adjustment: made.id,
      amount: `${made.amount} USD`,
      reason: made.reason,
      balance: `${made.balance} USD`,
      repeated: made.repeated || null,
    }),
  );
}
