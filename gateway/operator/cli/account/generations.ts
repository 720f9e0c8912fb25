/** `troupe generation`, and the records below `troupe accounts`: what an account did and paid, for operators. */
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import type { Generation } from '../../../../actors/terms/hold.ts';
import { indentJson, renderExact } from '../../../json/exact-json.ts';
import { renderGeneration } from '../../../management/generation-record.ts';
import { requireGeneration } from '../../../management/generations.ts';
import { command } from '../frame/asking.ts';
import { count, type Owner, owner } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { requireAccount, type Session } from '../frame/session.ts';
import { exportLedger } from '../money/export.ts';
import { LEDGER_COLUMNS, ledgerCells } from '../money/ledger-pages.ts';
import { readTimeline, renderTimeline } from './generation-timeline.ts';
import { recentRequests, renderRecent } from './recent-requests.ts';
import { refusedRequests, renderRefused } from './refused-requests.ts';

const LEDGER_HEAD = LEDGER_COLUMNS.map((name) => name.toUpperCase().replaceAll('_', ' '));
const SHOWN_USUALLY = 20;
/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;
const ACCOUNT = { '<account>': owner('the account id') } as const;
const LIMIT = {
  '--limit <count>': count(
    `how many, newest first (default: ${SHOWN_USUALLY}, at most ${PAGE_ROWS_MAX})`,
    'number of entries',
  ),
} as const;

export const commands = [
  command('generation', 'show the record of one generation of any account: route, attempts, hold, charge', {
    arguments: { '<id>': 'the id, gen-...' },
    options: { '--timeline': 'show it on a time line over all actors that it touched' },
    ask: async ({ id, timeline }, { services, found }) => {
      if (timeline) return readTimeline(id, found);
      const { account, generation } = await requireGeneration(services, null, id);
      const text = renderExact({ account: account.slice('account:'.length), ...renderGeneration(id, generation) });
      process.stdout.write(`${indentJson(text)}\n`);
      return undefined;
    },
    print: renderTimeline,
  }),
];

/** Commands below `troupe accounts`. */
export const accountRecords = [
  command('generations', 'list the newest generations of an account: outcome, charge, and why one failed', {
    arguments: ACCOUNT,
    options: LIMIT,
    ask: ({ account, limit }, session) => recordsOf<Generation>(session, account, 'generation', limit),
    print: renderGenerations,
  }),
  command('recent', 'list the newest requests of an account: what each cost, or why it was refused', {
    arguments: ACCOUNT,
    options: LIMIT,
    ask: async ({ account, limit }, session) => {
      const generations = await recordsOf<Generation>(session, account, 'generation', limit);
      return recentRequests(generations, await refusedRequests(account, session), rowsOf(limit));
    },
    print: renderRecent,
  }),
  command('refused', 'list the newest refused requests of an account, with the reason that its client received', {
    arguments: ACCOUNT,
    ask: ({ account }, session) => refusedRequests(account, session),
    print: renderRefused,
  }),
  command('ledger', 'list the newest entries of the ledger of an account', {
    arguments: ACCOUNT,
    options: { ...LIMIT, '--csv': 'as `troupe export ledger`: the whole ledger as CSV, oldest first' },
    ask: ({ account, limit, csv }, session) =>
      csv ? exportLedger(session, account, 'csv') : recordsOf<LedgerEntry>(session, account, 'ledger', limit),
    print: (found) => table(LEDGER_HEAD, found.map(ledgerCells)),
  }),
];

function rowsOf(limit = SHOWN_USUALLY): number {
  return Math.min(limit, PAGE_ROWS_MAX);
}

async function recordsOf<T>(
  session: Session,
  { address }: Owner,
  collection: string,
  limit: number | undefined,
): Promise<readonly T[]> {
  const query = { collection, address, order: 'descending', limit: rowsOf(limit) } as const;
  const rows = await session.operator.rows(query);
  // An account without entries exists; an unknown one is an error.
  if (rows.length === 0) await requireAccount(session, address);
  return rows.map(({ body }) => JSON.parse(body) as T);
}

function renderGenerations(found: readonly Generation[]): string {
  const rows = found.map(({ generation, createdAt, status, model, provider, settlement, release }) => [
    generation,
    timeOf(createdAt),
    status,
    model,
    provider,
    settlement?.cost ?? '-',
    release === null ? '' : `${release.status ?? '-'} ${release.reason}`,
  ]);
  return table(['GENERATION', 'AT', 'STATUS', 'MODEL', 'PROVIDER', 'CHARGE USD', 'FAILED WITH'], rows);
}
