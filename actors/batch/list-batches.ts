import type { Cluster, RowQuery } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import { BATCH_ACCOUNT, BATCH_STATUS, type BatchRecord, type BatchStatus, statusColumn } from './batch-record.ts';

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

export interface BatchPage {
  readonly batches: readonly BatchRecord[];
  readonly hasMore: boolean;
}

/** Batches of an account, newest first: one read, or one for each requested status. */
export async function listBatches(cluster: Cluster, account: string, query: BatchQuery): Promise<BatchPage> {
  const { statuses, createdAfter, limit } = query;
  const wheres =
    statuses.length === 0
      ? [{ column: BATCH_ACCOUNT, equals: account } as const]
      : [...new Set(statuses)].map((one) => ({ column: BATCH_STATUS, equals: statusColumn(account, one) }) as const);
  const after = cursorOf(query);
  const reads = wheres.map((where) => {
    // One more than a page, which tells whether there is another page.
    const read: RowQuery = { collection: 'batch', where, order: 'descending', limit: limit + 1 };
    return cluster.rows.rows(after === null ? read : { ...read, after });
  });
  const rows = (await Promise.all(reads)).flat();
  const found = rows
    .map((row) => JSON.parse(row.body) as BatchRecord)
    .filter(({ createdAt }) => createdAfter === null || createdAt > createdAfter)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  return { batches: found.slice(0, limit), hasMore: found.length > limit };
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
