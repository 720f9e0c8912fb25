/** `troupe generation`, and the records below `troupe accounts`: what an account did and paid, for operators. */
import type { RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import { indentJson } from '../../../json/exact-json.ts';
import type { ListedGeneration } from '../../api/generations.ts';
import type { ShownLedgerEntry } from '../../api/money.ts';
import { command, route } from '../frame/asking.ts';
import { count, owner } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { exportLedger } from '../money/export.ts';
import { renderTimeline, type Timeline } from './generation-timeline.ts';
import { recentRequests, renderRecent } from './recent-requests.ts';
import { renderRefused } from './refused-requests.ts';

const SHOWN_USUALLY = 20;
const SHOWN_MAX = 1_000;
const ACCOUNT = { '<account>': owner('the account id') } as const;
const LIMIT = {
  '--limit <count>': count(
    `how many, newest first (default: ${SHOWN_USUALLY}, at most ${SHOWN_MAX})`,
    'number of entries',
  ),
} as const;

export const commands = [
  command('generation', 'show the record of one generation of any account: route, attempts, hold, charge', {
    arguments: { '<id>': 'the id, gen-...' },
    options: { '--timeline': 'show it on a time line over all actors that it touched' },
    ask: async ({ id, timeline }, api) => {
      if (timeline) return api.get<Timeline>(route`/api/generations/${id}/timeline`);
      process.stdout.write(`${indentJson((await api.text(route`/api/generations/${id}`)).trimEnd())}\n`);
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
    ask: ({ account, limit }, api) => api.listOf<ListedGeneration>('/api/generations', account, rowsOf(limit)),
    print: renderGenerations,
  }),
  command('recent', 'list the newest requests of an account: what each cost, or why it was refused', {
    arguments: ACCOUNT,
    options: LIMIT,
    ask: async ({ account, limit }, api) => {
      const rows = rowsOf(limit);
      const [generations, refused] = [
        await api.list<ListedGeneration>('/api/generations', { account }, rows),
        await api.get<Refused>('/api/refused', { account }),
      ];
      return recentRequests(generations, refused.data, rows);
    },
    print: renderRecent,
  }),
  command('refused', 'list the newest refused requests of an account, with the reason that its client received', {
    arguments: ACCOUNT,
    ask: async ({ account }, api) => (await api.get<Refused>('/api/refused', { account })).data,
    print: renderRefused,
  }),
  command('ledger', 'list the newest entries of the ledger of an account', {
    arguments: ACCOUNT,
    options: { ...LIMIT, '--csv': 'as `troupe export ledger`: the whole ledger as CSV, oldest first' },
    ask: ({ account, limit, csv }, api) =>
      csv ? exportLedger(api, account, 'csv') : api.listOf<ShownLedgerEntry>('/api/ledger', account, rowsOf(limit)),
    print: renderLedger,
  }),
];

interface Refused {
  readonly data: readonly RefusedRequest[];
}

function rowsOf(limit = SHOWN_USUALLY): number {
  return Math.min(limit, SHOWN_MAX);
}

function renderGenerations(found: readonly ListedGeneration[]): string {
  const rows = found.map(({ id, at, status, model, provider, cost, failure }) => [
    id,
    timeOf(at),
    status,
    model,
    provider,
    cost ?? '-',
    failure === null ? '' : `${failure.status ?? '-'} ${failure.reason}`,
  ]);
  return table(['GENERATION', 'AT', 'STATUS', 'MODEL', 'PROVIDER', 'CHARGE USD', 'FAILED WITH'], rows);
}

function renderLedger(found: readonly ShownLedgerEntry[]): string {
  const rows = found.map(({ id, at, kind, amount, balance, key, source, note }) => [
    id,
    timeOf(at),
    kind,
    amount,
    balance,
    key?.replace(/^key:/, '') ?? '-',
    source,
    note,
  ]);
  return table(['ENTRY', 'AT', 'TYPE', 'AMOUNT USD', 'BALANCE USD', 'KEY', 'REFERENCE', 'REASON'], rows);
}
