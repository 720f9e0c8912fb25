/** `troupe generation`, and `troupe accounts generations|ledger`: what an account did and paid, for operators. */
import type { Command } from 'commander';
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import type { Generation } from '../../../../actors/terms/hold.ts';
import { indentJson, renderExact } from '../../../json/exact-json.ts';
import { renderGeneration } from '../../../management/generation-record.ts';
import { requireGeneration } from '../../../management/generations.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, countFrom } from '../frame/names.ts';
import { print, table, timeOf } from '../frame/print.ts';
import { requireAccount, withManagement, withSession } from '../frame/session.ts';
import { exportLedger } from '../money/export.ts';
import { LEDGER_COLUMNS, ledgerCells } from '../money/ledger-pages.ts';
import { recentRequests, renderRecent } from './recent-requests.ts';
import { refusedRequests, renderRefused } from './refused-requests.ts';

const LEDGER_HEAD = LEDGER_COLUMNS.map((name) => name.toUpperCase().replaceAll('_', ' '));
const SHOWN_USUALLY = 20;
/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

export function addGeneration(program: Command): void {
  program
    .command('generation')
    .argument('<id>', 'the id, gen-...')
    .description('show the record of one generation of any account: route, attempts, hold, charge')
    .action(async (id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { account, generation } = await withManagement(options, (services) =>
        requireGeneration(services, null, id),
      );
      const text = renderExact({ account: account.slice('account:'.length), ...renderGeneration(id, generation) });
      process.stdout.write(`${indentJson(text)}\n`);
    });
}

interface ListOptions extends GlobalOptions {
  readonly limit?: string;
  readonly csv?: boolean;
}

export function addAccountRecords(accounts: Command): void {
  accounts
    .command('generations')
    .argument('<account>', 'the account id')
    .option('--limit <count>', `how many, newest first (default: ${SHOWN_USUALLY}, at most ${PAGE_ROWS_MAX})`)
    .description('list the newest generations of an account: outcome, charge, and why one failed')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const found = await recordsOf<Generation>(account, 'generation', options);
      print(options, found, () => renderGenerations(found));
    });
  accounts
    .command('recent')
    .argument('<account>', 'the account id')
    .option('--limit <count>', `how many, newest first (default: ${SHOWN_USUALLY}, at most ${PAGE_ROWS_MAX})`)
    .description('list the newest requests of an account: what each cost, or why it was refused')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const limit = limitFrom(options);
      const generations = await recordsOf<Generation>(account, 'generation', options);
      const found = recentRequests(generations, await refusedRequests(account, options), limit);
      print(options, found, () => renderRecent(found));
    });
  accounts
    .command('refused')
    .argument('<account>', 'the account id')
    .description('list the newest refused requests of an account, with the reason that its client received')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await refusedRequests(account, options);
      print(options, found, () => renderRefused(found));
    });
  accounts
    .command('ledger')
    .argument('<account>', 'the account id')
    .option('--limit <count>', `how many, newest first (default: ${SHOWN_USUALLY}, at most ${PAGE_ROWS_MAX})`)
    .option('--csv', 'as `troupe export ledger`: the whole ledger as CSV, oldest first')
    .description('list the newest entries of the ledger of an account')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      if (options.csv) return exportLedger(account, { ...options, format: 'csv' });
      const found = await recordsOf<LedgerEntry>(account, 'ledger', options);
      print(options, found, () => table(LEDGER_HEAD, found.map(ledgerCells)));
    });
}

function limitFrom({ limit }: ListOptions): number {
  const wanted = limit === undefined ? SHOWN_USUALLY : countFrom(limit, 'number of entries');
  return Math.min(wanted, PAGE_ROWS_MAX);
}

async function recordsOf<T>(account: string, collection: string, options: ListOptions): Promise<readonly T[]> {
  const address = accountFrom(account);
  const limit = limitFrom(options);
  return withSession(options, async ({ operator, cluster }) => {
    const rows = await operator.rows({ collection, address, order: 'descending', limit });
    // An account without entries exists; an unknown one is an error.
    if (rows.length === 0) await requireAccount({ cluster }, address);
    return rows.map(({ body }) => JSON.parse(body) as T);
  });
}

function renderGenerations(found: readonly Generation[]): string {
  const rows = found.map((one) => [
    one.generation,
    timeOf(one.createdAt) ?? '',
    one.status,
    one.model,
    one.provider,
    one.settlement?.cost ?? '-',
    one.release === null ? '' : `${one.release.status ?? '-'} ${one.release.reason}`,
  ]);
  return table(['GENERATION', 'AT', 'STATUS', 'MODEL', 'PROVIDER', 'CHARGE USD', 'FAILED WITH'], rows);
}
