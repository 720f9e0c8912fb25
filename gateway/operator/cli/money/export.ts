/** `troupe export usage|ledger`: what was used and what was booked, streamed as CSV or JSON in a bounded memory. */
import { once } from 'node:events';
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import { dateOf, type KeyUsage } from '../../../../actors/key/usage.ts';
import { systemClock } from '../../../../actors/runtime/index.ts';
import { csv } from '../../../terms/csv.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { type Given, group } from '../frame/command.ts';
import { owner } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { timeOf } from '../frame/print.ts';
import { type UsageGroup, type UsageRow, usageColumns, usageCsv, usageRows } from './usage-rows.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS_USUALLY = 30;
/** Activity is kept for thirteen months. */
const DAYS_MAX = 400;
const GROUPS: Readonly<Record<string, readonly UsageGroup[]>> = {
  day: [],
  model: ['model'],
  key: ['key'],
  'model,key': ['model', 'key'],
  'key,model': ['model', 'key'],
};
const DAYS = {
  '--from <day>': { meaning: `the first UTC day, YYYY-MM-DD (default: ${DAYS_USUALLY} days ago)`, parse: dayFrom },
  '--till <day>': { meaning: 'the last UTC day (default: today)', parse: dayFrom },
} as const;
const FORMAT = {
  '--format <format>': { meaning: 'csv, or one JSON array', choices: ['csv', 'json'], default: 'csv' },
} as const;

export const commands = [
  group('export', 'write usage or a ledger as CSV or JSON to standard output', [
    command('usage', 'requests, tokens and exact charges by day, model and key', {
      arguments: { '[account]': owner('the account id (default: every account)') },
      options: {
        ...DAYS,
        '--by <groups>': {
          meaning: 'what a row sums, beside its day',
          choices: Object.keys(GROUPS),
          default: 'model,key',
        },
        ...FORMAT,
      },
      ask: async ({ account, by: groups, format, ...range }, api) => {
        const days = daysOf(range);
        const by = new Set(GROUPS[groups]);
        const columns = usageColumns(by);
        await write(format, {
          head: csv([columns]),
          pages: usagePages(api, account, { days, by }),
          cells: (rows) => usageCsv(rows, columns),
        });
      },
    }),
    command('ledger', 'every entry of the ledger of an account, oldest first', {
      arguments: { '<account>': owner('the account id') },
      options: FORMAT,
      ask: ({ account, format }, api) => exportLedger(api, account, format),
    }),
  ]),
];

async function* usagePages(
  api: OperatorApi,
  account: string | undefined,
  { days, by }: { readonly days: readonly number[]; readonly by: ReadonlySet<UsageGroup> },
): AsyncIterable<readonly UsageRow[]> {
  for (const day of days) yield* usageRows(api.pages<KeyUsage>('/api/usage', { day: dateOf(day), account }), by);
}

const LEDGER_COLUMNS = ['entry', 'at', 'type', 'from', 'to', 'amount_usd', 'balance_usd', 'key', 'reference'];

/** Answers undefined: the output is written. */
export async function exportLedger(api: OperatorApi, account: string, format: string): Promise<undefined> {
  await write(format, {
    head: csv([LEDGER_COLUMNS]),
    pages: api.pages<LedgerEntry>(route`/api/accounts/${account}/ledger`, {}),
    cells: (entries) => csv(entries.map(ledgerCells)),
  });
}

/** The entry under these columns. */
function ledgerCells({ sequence, at, type, from, to, amount, balance, key, ref }: LedgerEntry): string[] {
  return [String(sequence), timeOf(at) ?? '', type, from, to, amount, balance, key?.replace(/^key:/, '') ?? '', ref];
}

interface Export<T> {
  readonly head: string;
  readonly pages: AsyncIterable<readonly T[]>;
  readonly cells: (rows: readonly T[]) => string;
}

/** Waits for a slow reader, so that no more than a page is held. */
async function write<T>(format: string, { head, pages, cells }: Export<T>): Promise<void> {
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
function daysOf({ from, till }: Given<unknown, typeof DAYS>): readonly number[] {
  const last = till ?? dayStart(systemClock.now());
  const first = from ?? last - (DAYS_USUALLY - 1) * DAY_MS;
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
