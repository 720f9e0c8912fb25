/**
 * The statement of one account for one UTC month: every entry of its ledger as a line of CSV, between its balances at
 * the beginning and at the end. The ledger is never changed, so the statement of a past month is the same for ever.
 */
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { lastEntryBefore, type ReadRows, sequenceId } from '../../actors/terms/audit.ts';
import { csv } from '../terms/csv.ts';
import { invalid, notFound } from '../terms/gateway-error.ts';
import type { ManagementServices } from './services.ts';

/** A UTC month: store times of its beginning and of the next one's. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  readonly from: number;
  readonly till: number;
}

const PAGE_ROWS_MAX = 1_000;
const HEAD = ['entry', 'at', 'type', 'amount_usd', 'balance_usd', 'key', 'reference'];

/** Null for text that names no month. */
export function parseMonth(text: string): Month | null {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  return year === undefined ? null : monthOf(Date.UTC(Number(year), Number(month) - 1, 1));
}

/** The month that contains a store time. */
export function monthOf(at: number): Month {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), from: Date.UTC(year, month, 1), till: Date.UTC(year, month + 1, 1) };
}

/** The months from the account's first entry until now, newest first. `account` is an address. */
export async function monthsOf(
  { cluster }: Pick<ManagementServices, 'cluster'>,
  account: string,
): Promise<readonly Month[]> {
  const now = cluster.now();
  const first = await entryAfter((query) => cluster.rows.rows(query), account, 0);
  if (first === null) return [];
  const months: Month[] = [];
  for (let month = monthOf(now); month.till > first.at; month = monthOf(month.from - 1)) months.push(month);
  return months;
}

interface Statement {
  readonly month: Month;
  /** Lines of CSV, piece by piece. */
  readonly lines: AsyncIterable<Uint8Array>;
}

/**
 * The statement of a month, `YYYY-MM`; null: of the account's newest entry. `account` is an address. Throws 400 for
 * another text, 404 for a month without a statement.
 */
export async function requireStatement(
  { cluster }: Pick<ManagementServices, 'cluster'>,
  account: string,
  name: string | null,
): Promise<Statement> {
  const rows: ReadRows = (query) => cluster.rows.rows(query);
  const wanted = name === null ? await newestMonth(rows, account) : parseMonth(name);
  if (wanted === null && name !== null) throw invalid('month must be YYYY-MM');
  const months = await monthsOf({ cluster }, account);
  const month = months.find((one) => one.name === wanted?.name);
  if (month === undefined) throw notFound('The account has no statement for this month');
  return { month, lines: statementOf(rows, account, month) };
}

async function newestMonth(rows: ReadRows, address: string): Promise<Month | null> {
  const [newest] = await rows({ collection: 'ledger', address, order: 'descending', limit: 1 });
  return newest === undefined ? null : monthOf((JSON.parse(newest.body) as LedgerEntry).at);
}

async function* statementOf(rows: ReadRows, account: string, month: Month): AsyncIterable<Uint8Array> {
  const before = await lastEntryBefore<LedgerEntry>(rows, { collection: 'ledger', address: account }, month.from);
  let balance = before?.balance ?? '0';
  yield lines([HEAD, boundary('opening', month.from, balance)]);
  let after = before?.sequence ?? 0;
  for (;;) {
    const page = await entriesAfter(rows, account, after, PAGE_ROWS_MAX);
    const inMonth = page.filter(({ at }) => at < month.till);
    if (inMonth.length > 0) yield lines(inMonth.map(cellsOf));
    balance = inMonth.at(-1)?.balance ?? balance;
    after = inMonth.at(-1)?.sequence ?? after;
    if (inMonth.length < PAGE_ROWS_MAX) break;
  }
  yield lines([boundary('closing', month.till, balance)]);
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
  const page = await rows({ collection: 'ledger', address: account, after, limit });
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
