import type { Cluster, RowQuery, RowReader } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import {
  BATCH_ACCOUNT,
  BATCH_STATUS,
  BATCH_STATUS_OF_ALL,
  BATCH_STATUSES,
  type BatchRecord,
  type BatchStatus,
  statusColumn,
} from './batch-record.ts';

/** A cluster, or an operator's access to one. */
interface Reader {
  readonly rows: Pick<RowReader, 'rows'>;
}

export interface BatchQuery {
  /** Only batches with one of these; empty for all. */
  readonly statuses: readonly BatchStatus[];
  /** Exclusive bounds of the creation time, ms; null for none. */
  readonly createdAfter: number | null;
  readonly createdBefore: number | null;
  /** 1 to 1000. */
  readonly limit: number;
  /** Continues after this batch id, which need not exist; null begins. */
  readonly after: string | null;
}

interface BatchPage {
  readonly batches: readonly BatchRecord[];
  readonly hasMore: boolean;
}

/** Batches of an account, or with null of all, newest first: one read, or one for each status. */
export async function listBatches(
  { rows: store }: Reader,
  account: string | null,
  query: BatchQuery,
): Promise<BatchPage> {
  const { createdAfter, limit } = query;
  const after = cursorOf(query);
  const reads = wheresOf(account, query.statuses).map((where) => {
    // One more than a page, which tells whether there is another page.
    const read: RowQuery = { collection: 'batch', where, order: 'descending', limit: limit + 1 };
    return store.rows(after === null ? read : { ...read, after });
  });
  const rows = (await Promise.all(reads)).flat();
  const found = rows
    .map((row) => JSON.parse(row.body) as BatchRecord)
    .filter(({ createdAt }) => createdAfter === null || createdAt > createdAfter)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  return { batches: found.slice(0, limit), hasMore: found.length > limit };
}

/** All statuses together are one read of an account; over all accounts each is a read of its own. */
function wheresOf(account: string | null, statuses: readonly BatchStatus[]): readonly NonNullable<RowQuery['where']>[] {
  if (account === null) {
    const every = statuses.length === 0 ? BATCH_STATUSES : new Set(statuses);
    return [...every].map((one) => ({ column: BATCH_STATUS_OF_ALL, equals: one }));
  }
  if (statuses.length === 0) return [{ column: BATCH_ACCOUNT, equals: account }];
  return [...new Set(statuses)].map((one) => ({ column: BATCH_STATUS, equals: statusColumn(account, one) }));
}

const ACTIVE: readonly BatchStatus[] = ['validating', 'in_progress', 'cancelling'];

/** How many batches of an account wait or run, counted to `most`. Its account decides; this read costs it nothing. */
export async function countActive(cluster: Cluster, account: string, most: number): Promise<number> {
  const query = { statuses: ACTIVE, createdAfter: null, createdBefore: null, limit: most, after: null };
  return (await listBatches(cluster, account, query)).batches.length;
}

type Cursor = NonNullable<RowQuery['after']>;

/** The later of both starts: batches of one millisecond before `createdBefore` are the first ones in question. */
function cursorOf({ after, createdBefore }: BatchQuery): Cursor | null {
  const starts: Cursor[] = [];
  if (after !== null) starts.push({ sort: timeOfId(after), id: after });
  if (createdBefore !== null) starts.push({ sort: Math.ceil(createdBefore), id: '' });
  const [first] = starts.sort((a, b) => a.sort - b.sort || (a.id < b.id ? -1 : 1));
  return first ?? null;
}
