/** What an account used: the activity of its keys, summed by day, model and endpoint. The sums are the ledger's. */
import type { KeyUsage } from '../../actors/key/usage.ts';
import { usageOf } from '../../actors/key/usage.ts';
import { defaultWorkspaceId } from '../../actors/terms/ids.ts';
import { add } from '../../actors/terms/usd.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { ManagementServices } from './services.ts';

/** Rows of keys that one answer sums at most; each is read and parsed. */
const ROWS_MAX = 100_000;

/** Rows with the same day, model and endpoint, as one; with its workspace or key where rows are grouped by it. */
export type ActivitySum = Omit<KeyUsage, 'key' | 'keyHash' | 'user' | 'isClosed'> & Partial<Pick<KeyUsage, 'key'>>;

/** Which rows are summed, and by what they are grouped in addition to day, model and endpoint. */
interface ActivityFilter {
  /** Store times at which the wanted days began, newest first. */
  readonly days: readonly number[];
  /** Public handle of one key; null or absent: all, as with the next two. */
  readonly keyHash?: string | null;
  readonly user?: string | null;
  readonly workspace?: string | null;
  readonly isByWorkspace?: boolean;
  readonly isByKey?: boolean;
}

/** Newest day first, then by model and endpoint. Throws GatewayError 400 if it would have to sum too many rows. */
export async function readActivity(
  { cluster }: Pick<ManagementServices, 'cluster'>,
  account: string,
  query: ActivityFilter,
): Promise<readonly ActivitySum[]> {
  let read = 0;
  const sums: ActivitySum[] = [];
  for (const day of query.days) {
    const ofDay = new Map<string, ActivitySum>();
    for await (const page of usageOf(cluster, account, day)) {
      read += page.length;
      if (read > ROWS_MAX) throw tooMany();
      for (const row of page) if (isWanted(row, query)) addRow(ofDay, row, query);
    }
    sums.push(...[...ofDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum));
  }
  return sums;
}

/** Unknown keys, users and workspaces match nothing, as those of other accounts do. */
function isWanted(row: KeyUsage, { keyHash = null, user = null, workspace = null }: ActivityFilter): boolean {
  if (keyHash !== null && row.keyHash !== keyHash) return false;
  if (user !== null && row.user !== user) return false;
  return workspace === null || workspaceOf(row) === workspace;
}

function workspaceOf({ workspace, account }: Pick<KeyUsage, 'workspace' | 'account'>): string {
  return workspace ?? defaultWorkspaceId(account);
}

function addRow(
  sums: Map<string, ActivitySum>,
  activity: KeyUsage,
  { isByWorkspace = false, isByKey = false }: ActivityFilter,
): void {
  const { key, keyHash: _1, user: _2, isClosed: _3, workspace: _4, ...row } = activity;
  const workspace = isByWorkspace ? { workspace: workspaceOf(activity) } : {};
  const grouped = { ...row, ...workspace, ...(isByKey ? { key } : {}) };
  const id = `${row.model} ${row.endpoint} ${grouped.workspace ?? ''} ${isByKey ? key : ''}`;
  const sum = sums.get(id);
  sums.set(id, sum === undefined ? grouped : merged(sum, grouped));
}

/** The first with the counts and the charges of both. */
export function merged(sum: ActivitySum, row: ActivitySum): ActivitySum {
  return {
    ...sum,
    requests: sum.requests + row.requests,
    promptTokens: sum.promptTokens + row.promptTokens,
    completionTokens: sum.completionTokens + row.completionTokens,
    reasoningTokens: sum.reasoningTokens + row.reasoningTokens,
    usage: add(sum.usage, row.usage),
  };
}

function tooMany(): GatewayError {
  const message = `The activity has more than ${ROWS_MAX} rows of keys; ask for one date`;
  return new GatewayError({ status: 400, type: 'invalid_request', message, metadata: { limit: ROWS_MAX } });
}
