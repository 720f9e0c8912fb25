/**
 * The key's usage: one row per UTC day, model and endpoint, with sums over its charges, written in the commit of each
 * charge. The day is that of the ledger entry, so the rows of a day sum to the ledger's charges of that day. A timer
 * closes the rows of a day after its end, also of a key that is never used again: their retention begins there.
 */
import {
  type Cluster,
  type Collection,
  type Effect,
  emitOn,
  ownerHash,
  ownerOf,
  type RowQuery,
  rowsOn,
  type Stamped,
} from '../runtime/index.ts';
import { allRows, firstRow, plain } from '../terms/chart-tools.ts';
import { daysMs, USUAL_RETENTION } from '../terms/retention.ts';
import { windowStart } from '../terms/spending.ts';
import { addUnits, type DaySums, type UsagePart } from '../terms/usage.ts';
import { add } from '../terms/usd.ts';
import type { SpendRecord } from './holds.ts';
import type { KeyState } from './key-state.ts';

/** The key's own timer: the day of some usage rows has ended. */
export type UsageClose = Stamped & { readonly type: 'usage.close' };

export const USAGE = 'usage';
const CLOSE = 'usage.close';
/** Index columns: `usageDay` of account and day, and the day of all accounts. */
const USAGE_DAY = 0;
const PUBLIC_DAY = 1;
const DAY_MS = 24 * 3_600_000;
/** Rows that one step closes; the next step closes the rest. */
const CLOSED_PER_STEP_MAX = 64;
/** The timers of a day fire over these hours after its end, those of one account together. */
const CLOSING_MS = 12 * 3_600_000;
const OWNER_HASHES = 65_536;

/** A row of the collection. Its key is that of its actor. */
export interface KeyUsage extends DaySums {
  /** Account id, without the kind. */
  readonly account: string;
  /** Address of the key. */
  readonly key: string;
  readonly model: string;
  readonly endpoint: string;
  readonly provider: string;
  /** Id of the workspace; absent: the default one of the account. */
  readonly workspace?: string;
  /** The public handle of the key, and the member that it was assigned to at its last charge of the day. */
  readonly keyHash: string;
  readonly user: string | null;
  /** Sum of the charges, exact decimal USD. */
  readonly usage: string;
  /** True once the day has ended: the row leaves memory, and its retention begins. */
  readonly isClosed?: true;
}

/** Rows of the running day are resident, so that a charge reads nothing from the store. */
export const usageCollection: Collection = {
  sort: (row: KeyUsage) => row.day,
  index: [(row: KeyUsage) => usageDay(row.account, row.day), (row: KeyUsage) => dateOf(row.day)],
  open: (row: KeyUsage) => row.isClosed !== true,
  nextMax: CLOSED_PER_STEP_MAX,
  retentionMs: daysMs(USUAL_RETENTION.activity),
};

/** The value of the index column. */
function usageDay(account: string, day: number): string {
  return `${account} ${dateOf(day)}`;
}

/** `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** Adds the charge to its row. The first charge of a row sets the timer that closes it. */
function recordUsage(state: KeyState, event: SpendRecord): Effect[] {
  const { part, cost } = event;
  const day = windowStart('daily', part.at);
  const before = firstRow<KeyUsage>(event, 'usage');
  const units = addUnits(before?.units, part.units);
  const unpriced = (before?.unpriced ?? 0) + (part.unpriced ? 1 : 0);
  // A literal that begins with a spread takes ten times as long.
  const row: KeyUsage = {
    account: ownerOf(state.address),
    key: state.address,
    day,
    model: part.model,
    endpoint: part.endpoint,
    provider: part.provider,
    keyHash: state.handle,
    user: state.member,
    requests: (before?.requests ?? 0) + 1,
    promptTokens: (before?.promptTokens ?? 0) + part.promptTokens,
    completionTokens: (before?.completionTokens ?? 0) + part.completionTokens,
    reasoningTokens: (before?.reasoningTokens ?? 0) + part.reasoningTokens,
    usage: add(before?.usage ?? '0', cost),
    ...(part.workspace === undefined ? {} : { workspace: part.workspace }),
    ...(units === undefined ? {} : { units }),
    ...(unpriced === 0 ? {} : { unpriced }),
  };
  const put: Effect = { type: 'put', collection: USAGE, id: rowId(part), body: plain(row) };
  return before === null || before.isClosed ? [put, closing(dateOf(day), closesAt(state, day))] : [put];
}

/** Closes the rows of earlier days, a bounded number in each step. */
function closeUsage(_: KeyState, event: UsageClose): Effect[] {
  const oldest = allRows(event, 'oldest').map(({ body }) => body as unknown as KeyUsage);
  const today = windowStart('daily', event.at);
  const ended = oldest.filter(({ day }) => day < today);
  const puts = ended.map((row): Effect => {
    const closed: KeyUsage = { ...row, isClosed: true };
    return { type: 'put', collection: USAGE, id: idOf(row.day, row), body: plain(closed) };
  });
  return ended.length === CLOSED_PER_STEP_MAX ? [...puts, closing('rest', event.at)] : puts;
}

/** One timer a day, and one for what a step left. */
function closing(name: string, at: number): Effect {
  return { type: 'schedule', name: `${CLOSE} ${name}`, at, event: { type: CLOSE } };
}

function closesAt({ address }: KeyState, day: number): number {
  return day + DAY_MS + Math.floor((ownerHash(ownerOf(address)) * CLOSING_MS) / OWNER_HASHES);
}

function rowId(part: UsagePart): string {
  return idOf(windowStart('daily', part.at), part);
}

/** The members that name a row of a day. */
type UsageName = Pick<KeyUsage, 'key' | 'model' | 'endpoint' | 'workspace'>;

/** Differs from the ids of other keys of the account, whose rows are read in one list. */
function idOf(day: number, { key, model, endpoint, workspace = '' }: UsageName): string {
  return `${dateOf(day)} ${key.slice(key.indexOf('/') + 1)} ${endpoint} ${workspace} ${model}`;
}

/** The row of a charge, read from the store once a day; for the timer, the oldest open rows. */
export const keyRows = rowsOn({
  'spend.record': ({ part }: SpendRecord) => [{ as: 'usage', collection: USAGE, id: rowId(part), mayBeStored: true }],
  'usage.close': () => [{ as: 'oldest', collection: USAGE, next: CLOSED_PER_STEP_MAX }],
});

export const actions = {
  recordUsage: emitOn('spend.record', recordUsage),
  closeUsage: emitOn('usage.close', closeUsage),
};

/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

/** The usage of all keys of an account on one UTC day (the store time at which it began), page by page. */
export function usageOf(
  cluster: Pick<Cluster, 'rows'>,
  account: string,
  day: number,
): AsyncIterable<readonly KeyUsage[]> {
  return usagePages(cluster, usageWhere(day, account));
}

/** The usage of every account on one UTC day, page by page. */
export function usageOfAll(cluster: Pick<Cluster, 'rows'>, day: number): AsyncIterable<readonly KeyUsage[]> {
  return usagePages(cluster, usageWhere(day));
}

/** Where the usage of one UTC day is found: that of an account, or of every account. */
export function usageWhere(day: number, account?: string) {
  return account === undefined
    ? ({ column: PUBLIC_DAY, equals: dateOf(day) } as const)
    : ({ column: USAGE_DAY, equals: usageDay(account, day) } as const);
}

async function* usagePages(
  cluster: Pick<Cluster, 'rows'>,
  where: NonNullable<RowQuery['where']>,
): AsyncIterable<readonly KeyUsage[]> {
  const query = { collection: USAGE, where, limit: PAGE_ROWS_MAX } as const;
  let page = await cluster.rows.rows(query);
  while (page.length > 0) {
    yield page.map(({ body }) => JSON.parse(body) as KeyUsage);
    const { sort, id } = page.at(-1) as (typeof page)[number];
    page = page.length < PAGE_ROWS_MAX ? [] : await cluster.rows.rows({ ...query, after: { sort, id } });
  }
}
