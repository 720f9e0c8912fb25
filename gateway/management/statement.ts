/**
 * The statement of one account for one UTC month: every entry of its ledger as a line of CSV, between its balances at
 * the beginning and at the end. Entries are never changed, so the statement of a past month is the same as long as its
 * entries are kept.
 */
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { LEDGER, type LedgerOpening } from '../../actors/account/prune-ledger.ts';
import { lastEntryBefore, type ReadRows, sequenceId } from '../../actors/terms/audit.ts';
import { type Month, monthOf, parseMonth } from '../../actors/terms/month.ts';
import { newestOpening } from '../../actors/terms/opening.ts';
import { csv } from '../terms/csv.ts';
import { invalid, notFound } from '../terms/gateway-error.ts';
import type { ManagementServices } from './services.ts';

const PAGE_ROWS_MAX = 1_000;
const HEAD = ['entry', 'at', 'type', 'amount_usd', 'balance_usd', 'key', 'reference'];

/** The months from the account's first entry that is kept until now, newest first. `account` is an address. */
export async function monthsOf({ cluster }: Services, account: string): Promise<readonly Month[]> {
  const begin = await beginOf(readerOf({ cluster }), account);
  if (begin === null) return [];
  const months: Month[] = [];
  for (let month = monthOf(cluster.now()); month.till > begin; month = monthOf(month.from - 1)) months.push(month);
  return months;
}

/** Store time: the end of the newest month that is removed, or the first entry of all; null without either. */
async function beginOf(rows: ReadRows, account: string): Promise<number | null> {
  const opening = await newestOpening({ rows }, LEDGER, account);
  if (opening !== null) return parseMonth(opening.month)?.till ?? null;
  return (await entryAfter(rows, account, 0))?.at ?? null;
}

interface Statement {
  readonly month: Month;
  /** Lines of CSV, piece by piece. */
  readonly lines: AsyncIterable<Uint8Array>;
}

type Services = Pick<ManagementServices, 'cluster'>;

/**
 * The statement of a month, `YYYY-MM`; null: of the account's newest entry. `account` is an address. Throws 400 for
 * another text, 404 for a month without a statement.
 */
export async function requireStatement(services: Services, account: string, name: string | null): Promise<Statement> {
  const month = await requireMonth(services, account, name);
  const opening = await openingOf(services, account, month);
  return { month, lines: statementLines({ month, opening }, entriesOf(services, account, { month, opening })) };
}

/** The month of a statement; as `requireStatement`. */
export async function requireMonth(services: Services, account: string, name: string | null): Promise<Month> {
  const wanted = name === null ? await newestMonth(readerOf(services), account) : parseMonth(name);
  if (wanted === null && name !== null) throw invalid('month must be YYYY-MM');
  const months = await monthsOf(services, account);
  const month = months.find((one) => one.name === wanted?.name);
  if (month === undefined) throw notFound(missing(months.at(-1)));
  return month;
}

interface Opening {
  readonly balance: string;
  /** Of the last entry before the month; 0 without one. */
  readonly sequence: number;
}

/** The balance with which a month begins. */
export async function openingOf(services: Services, account: string, { from }: Month): Promise<Opening> {
  const rows = readerOf(services);
  const log = { collection: LEDGER.entries, address: account };
  const before =
    (await lastEntryBefore<LedgerEntry>(rows, log, from)) ??
    (await newestOpening<LedgerOpening>({ rows }, LEDGER, account));
  return { balance: before?.balance ?? '0', sequence: before?.sequence ?? 0 };
}

/** Entries of the month behind a sequence, at most `PAGE_ROWS_MAX`. */
export async function monthEntries(
  services: Services,
  account: string,
  { month: { till }, after }: { readonly month: Month; readonly after: number },
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly hasMore: boolean }> {
  const page = await entriesAfter(readerOf(services), account, after, PAGE_ROWS_MAX);
  const entries = page.filter(({ at }) => at < till);
  return { entries, hasMore: entries.length === PAGE_ROWS_MAX };
}

async function* entriesOf(
  services: Services,
  account: string,
  { month, opening }: { readonly month: Month; readonly opening: Opening },
): AsyncIterable<readonly LedgerEntry[]> {
  let after = opening.sequence;
  for (let more = true; more; ) {
    const { entries, hasMore } = await monthEntries(services, account, { month, after });
    yield entries;
    after = entries.at(-1)?.sequence ?? after;
    more = hasMore;
  }
}

/** The lines of a statement, of its entries page by page. */
export async function* statementLines(
  { month, opening }: { readonly month: Month; readonly opening: Pick<Opening, 'balance'> },
  pages: AsyncIterable<readonly LedgerEntry[]>,
): AsyncIterable<Uint8Array> {
  let { balance } = opening;
  yield lines([HEAD, boundary('opening', month.from, balance)]);
  for await (const page of pages) {
    if (page.length > 0) yield lines(page.map(cellsOf));
    balance = page.at(-1)?.balance ?? balance;
  }
  yield lines([boundary('closing', month.till, balance)]);
}

function readerOf({ cluster }: Services): ReadRows {
  return (query) => cluster.rows.rows(query);
}

function missing(first: Month | undefined): string {
  const kept = first === undefined ? '' : `; the first month that is kept is ${first.name}`;
  return `The account has no statement for this month${kept}`;
}

async function newestMonth(rows: ReadRows, address: string): Promise<Month | null> {
  const [newest] = await rows({ collection: LEDGER.entries, address, order: 'descending', limit: 1 });
  return newest === undefined ? null : monthOf((JSON.parse(newest.body) as LedgerEntry).at);
}

async function entryAfter(rows: ReadRows, account: string, sequence: number): Promise<LedgerEntry | null> {
  return (await entriesAfter(rows, account, sequence, 1))[0] ?? null;
}

async function entriesAfter(
  rows: ReadRows,
  account: string,
  sequence: number,
  limit: number,
): Promise<readonly LedgerEntry[]> {
  const after = { sort: sequence, id: sequenceId(sequence) };
  const page = await rows({ collection: LEDGER.entries, address: account, after, limit });
  return page.map(({ body }) => JSON.parse(body) as LedgerEntry);
}

/** The amount has a minus sign where it leaves the balance. */
function cellsOf({ sequence, at, type, to, amount, balance, key, ref }: LedgerEntry): readonly string[] {
  const signed = to === 'balance' || amount === '0' ? amount : `-${amount}`;
  return [String(sequence), iso(at), type, signed, balance, key?.slice(key.indexOf('/') + 1) ?? '', ref];
}

function boundary(type: 'opening' | 'closing', at: number, balance: string): readonly string[] {
  return ['', iso(at), type, '', balance, '', ''];
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function lines(rows: readonly (readonly string[])[]): Uint8Array {
  return Buffer.from(csv(rows));
}
