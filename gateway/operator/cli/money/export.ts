/** `troupe export usage|ledger`: what was used and what was booked, streamed as CSV or JSON in a bounded memory. */
import { once } from 'node:events';
import type { Command, Option } from 'commander';
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import { usageOf, usageOfAll } from '../../../../actors/key/usage.ts';
import { systemClock } from '../../../../actors/runtime/index.ts';
import { csv } from '../../../terms/csv.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom } from '../frame/names.ts';
import { requireAccount, type Session, withSession } from '../frame/session.ts';
import { LEDGER_COLUMNS, ledgerCells, ledgerPages } from './ledger-pages.ts';
import { type UsageGroup, type UsageRow, usageColumns, usageCsv, usageRows } from './usage-rows.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS_USUALLY = 30;
/** Activity is kept for thirteen months. */
const DAYS_MAX = 400;
const GROUPS: Readonly<Record<string, readonly UsageGroup[]>> = {
  ...{ day: [], model: ['model'], key: ['key'], 'model,key': ['model', 'key'], 'key,model': ['model', 'key'] },
};

export interface ExportOptions extends GlobalOptions {
  readonly format: 'csv' | 'json';
}

interface UsageOptions extends ExportOptions {
  readonly from?: string;
  readonly till?: string;
  readonly by: string;
}

export function addExport(program: Command): void {
  const exported = program.command('export').description('write usage or a ledger as CSV or JSON to standard output');
  exported
    .command('usage')
    .argument('[account]', 'the account id (default: every account)')
    .option('--from <day>', `the first UTC day, YYYY-MM-DD (default: ${DAYS_USUALLY} days ago)`)
    .option('--till <day>', 'the last UTC day (default: today)')
    .addOption(
      exported
        .createOption('--by <groups>', 'what a row sums, beside its day')
        .choices(Object.keys(GROUPS))
        .default('model,key'),
    )
    .addOption(formatOption(exported))
    .description('requests, tokens and exact charges by day, model and key')
    .action((account: string | undefined, _: unknown, command: Command) =>
      exportUsage(account, command.optsWithGlobals<UsageOptions>()),
    );
  exported
    .command('ledger')
    .argument('<account>', 'the account id')
    .addOption(formatOption(exported))
    .description('every entry of the ledger of an account, oldest first')
    .action((account: string, _: unknown, command: Command) =>
      exportLedger(account, command.optsWithGlobals<ExportOptions>()),
    );
}

function formatOption(command: Command): Option {
  return command.createOption('--format <format>', 'csv, or one JSON array').choices(['csv', 'json']).default('csv');
}

async function exportUsage(account: string | undefined, options: UsageOptions): Promise<void> {
  const days = daysOf(options);
  const address = account === undefined ? null : accountFrom(account);
  const by = new Set(GROUPS[options.by]);
  const columns = usageColumns(by);
  await withSession(options, async (session) => {
    if (address !== null) await requireAccount(session, address);
    await write(options, {
      head: csv([columns]),
      pages: usagePages(session, address, { days, by }),
      cells: (rows) => usageCsv(rows, columns),
    });
  });
}

async function* usagePages(
  { cluster }: Session,
  account: string | null,
  { days, by }: { readonly days: readonly number[]; readonly by: ReadonlySet<UsageGroup> },
): AsyncIterable<readonly UsageRow[]> {
  for (const day of days) {
    const pages = account === null ? usageOfAll(cluster, day) : usageOf(cluster, account.slice('account:'.length), day);
    yield* usageRows(pages, by);
  }
}

export async function exportLedger(account: string, options: ExportOptions): Promise<void> {
  const address = accountFrom(account);
  await withSession(options, async ({ operator, cluster }) => {
    await requireAccount({ cluster }, address);
    const cells = (entries: readonly LedgerEntry[]): string => csv(entries.map(ledgerCells));
    await write(options, { head: csv([LEDGER_COLUMNS]), pages: ledgerPages(operator, address), cells });
  });
}

interface Export<T> {
  readonly head: string;
  readonly pages: AsyncIterable<readonly T[]>;
  readonly cells: (rows: readonly T[]) => string;
}

/** Waits for a slow reader, so that no more than a page is held. */
async function write<T>({ format }: ExportOptions, { head, pages, cells }: Export<T>): Promise<void> {
  const isJson = format === 'json';
  let before = isJson ? '[' : head;
  for await (const page of pages) {
    const text = isJson ? page.map((row) => `\n${JSON.stringify(row)}`).join(',') : cells(page);
    if (!process.stdout.write(before + text)) await once(process.stdout, 'drain');
    before = isJson ? ',' : '';
  }
  // Nothing was written: an empty array, or the names of the columns alone.
  const end = isJson ? '\n]\n' : '';
  process.stdout.write(before === ',' ? end : before + end);
}

/** The first ms of each wanted UTC day, oldest first. @throws ConfigError */
function daysOf({ from, till }: UsageOptions): readonly number[] {
  const last = till === undefined ? dayStart(systemClock.now()) : dayFrom(till);
  const first = from === undefined ? last - (DAYS_USUALLY - 1) * DAY_MS : dayFrom(from);
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw new ConfigError('--from is after --till');
  if (count > DAYS_MAX) throw new ConfigError(`an export has at most ${DAYS_MAX} days, for which activity is kept`);
  return Array.from({ length: count }, (_, nth) => first + nth * DAY_MS);
}

function dayFrom(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return at;
  throw new ConfigError(`"${text}" is not a day; write it as 2030-01-31`);
}

function dayStart(at: number): number {
  return at - (at % DAY_MS);
}
