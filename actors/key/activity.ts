/**
 * The key's activity: one row per UTC day, model and endpoint, with sums over its charges, written in the commit of each
 * charge. The day is that of the ledger entry, so the rows of a day sum to the ledger's charges of that day.
 */
import { type Collection, type Effect, ownerOf, type RowRef } from '../runtime/index.ts';
import { type ActivityPart, addUnits, type DaySums } from '../terms/activity-part.ts';
import { windowStart } from '../terms/calendar.ts';
import { plain } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { add } from '../terms/usd.ts';
import type { SpendRecord } from './events.ts';
import type { KeyState } from './key-state.ts';

export const ACTIVITY = 'activity';
/** Index columns: `activityDay` of account and day, and the day of all accounts. */
export const ACTIVITY_DAY = 0;
export const PUBLIC_DAY = 1;
/** Thirteen months: a year can be compared with the one before. */
const RETENTION_MS = 400 * 24 * 3_600_000;

/** A row of the collection. Its key is that of its actor. */
export interface Activity extends DaySums {
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
  /** True once a later day has begun: the row leaves memory. */
  readonly isClosed?: true;
}

/** Rows of the running day are resident, so that a charge reads nothing from the store. */
export const activityCollection: Collection = {
  sort: (row: Activity) => row.day,
  index: [(row: Activity) => activityDay(row.account, row.day), (row: Activity) => dateOf(row.day)],
  open: (row: Activity) => row.isClosed !== true,
  nextMax: 1,
  retentionMs: RETENTION_MS,
};

/** The value of the index column. */
export function activityDay(account: string, day: number): string {
  return `${account} ${dateOf(day)}`;
}

/** `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** The row of the charge, read from the store once a day, and the oldest open one, which may belong to an earlier day. */
export function activityRows({ part }: SpendRecord): readonly RowRef[] {
  if (part === undefined) return [];
  return [
    { as: 'activity', collection: ACTIVITY, id: rowId(part), mayBeStored: true },
    { as: 'oldest', collection: ACTIVITY, next: 1 },
  ];
}

/** Adds the charge to its row. Each charge closes at most one row of an earlier day. */
export function recordActivity(state: KeyState, event: SpendRecord): Effect[] {
  const { part, cost } = event;
  if (part === undefined) return [];
  const day = windowStart('daily', part.at);
  const before = firstRow<Activity>(event, 'activity');
  const oldest = firstRow<Activity>(event, 'oldest');
  const units = addUnits(before?.units, part.units);
  const unpriced = (before?.unpriced ?? 0) + (part.unpriced ? 1 : 0);
  // A literal that begins with a spread takes ten times as long.
  const row: Activity = {
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
  const puts: Effect[] = [{ type: 'put', collection: ACTIVITY, id: rowId(part), body: plain(row) }];
  if (oldest !== null && oldest.day < day) {
    const closed: Activity = { ...oldest, isClosed: true };
    puts.push({ type: 'put', collection: ACTIVITY, id: idOf(oldest.day, oldest), body: plain(closed) });
  }
  return puts;
}

function rowId(part: ActivityPart): string {
  return idOf(windowStart('daily', part.at), part);
}

/** The members that name a row of a day. */
type ActivityName = Pick<Activity, 'key' | 'model' | 'endpoint' | 'workspace'>;

/** Differs from the ids of other keys of the account, whose rows are read in one list. */
function idOf(day: number, { key, model, endpoint, workspace = '' }: ActivityName): string {
  return `${dateOf(day)} ${key.slice(key.indexOf('/') + 1)} ${endpoint} ${workspace} ${model}`;
}
