import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BatchRecord, type BatchStatus, batchCollection } from '../../../actors/batch/batch-record.ts';
import { type BatchQuery, listBatches } from '../../../actors/batch/list-batches.ts';
import type { Cluster, RowQuery, RowRecord } from '../../../actors/runtime/index.ts';
import { timeOfId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { batchIdOf } from '../../support/model/batches.ts';
import { START } from '../../support/model/words.ts';

const it = bounded(test);
const STATUSES: readonly BatchStatus[] = ['completed', 'in_progress', 'cancelled'];

const records = Array.from({ length: 30 }, (_, nth) => {
  const id = batchIdOf(1_000 * nth);
  const account = nth % 5 === 4 ? 'acct_2' : 'acct_1';
  return { id, account, status: STATUSES[nth % 3], createdAt: timeOfId(id), bodies: null } as unknown as BatchRecord;
});

/** Rows as a store keeps them, with the columns of the collection. */
function clusterWith(reads: RowQuery[]): Cluster {
  const rows = async (query: RowQuery): Promise<readonly RowRecord[]> => {
    reads.push(query);
    const { where, order, after, limit } = query;
    const sign = order === 'descending' ? -1 : 1;
    const compare = (a: Cursor, b: Cursor) => sign * (a.sort - b.sort || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    return records
      .map((record) => ({ id: record.id, sort: batchCollection.sort(record as never), record }))
      .filter(({ record }) => where && batchCollection.index?.[where.column]?.(record as never) === where.equals)
      .filter((row) => after === undefined || compare(row, after) > 0)
      .sort(compare)
      .slice(0, limit)
      .map(({ record }) => ({ body: JSON.stringify(record) }) as unknown as RowRecord);
  };
  return { rows: { rows } } as unknown as Cluster;
}

interface Cursor {
  readonly sort: number;
  readonly id: string;
}

const ALL: BatchQuery = { statuses: [], createdAfter: null, createdBefore: null, limit: 1_000, after: null };

async function list(query: Partial<BatchQuery>, reads: RowQuery[] = []) {
  const { batches, hasMore } = await listBatches(clusterWith(reads), 'acct_1', { ...ALL, ...query });
  return { ids: batches.map(({ id }) => id), hasMore };
}

const expected = (matches: (record: BatchRecord) => boolean) =>
  records
    .filter((record) => record.account === 'acct_1' && matches(record))
    .map(({ id }) => id)
    .reverse();

it('lists the batches of the account, newest first', async () => {
  assert.equal(await list({}), { ids: expected(() => true), hasMore: false });
});

it('pages through any filter without a gap or a repeat, with one read for each status', async () => {
  for (const statuses of [[], ['completed'], ['completed', 'cancelled'], STATUSES] as const) {
    const seen: string[] = [];
    const reads: RowQuery[] = [];
    for (let after: string | null = null, more = true; more; after = seen.at(-1) ?? null) {
      const page = await list({ statuses, limit: 4, after }, reads);
      seen.push(...page.ids);
      more = page.hasMore;
    }
    assert.equal(
      seen,
      expected(({ status }) => statuses.length === 0 || statuses.some((one) => one === status)),
    );
    assert.is(reads.length, Math.ceil(seen.length / 4) * Math.max(1, statuses.length));
  }
});

it('bounds of the creation time are exclusive (rule B33)', async () => {
  const [createdAfter, createdBefore] = [START + 5_000, START + 20_000];
  const within = expected(({ createdAt }) => createdAt > createdAfter && createdAt < createdBefore);
  assert.equal(await list({ createdAfter, createdBefore }), { ids: within, hasMore: false });
  assert.equal((await list({ createdAfter, createdBefore, limit: 2 })).hasMore, true);
  const [first] = within as [string];
  assert.equal((await list({ createdAfter, createdBefore, after: first })).ids, within.slice(1));
});

it('lists the batches of all accounts in pages, by one look-up for each status', async () => {
  const reads: RowQuery[] = [];
  const ids: string[] = [];
  for (let after: string | null = null; ; after = ids.at(-1) as string) {
    const page = await listBatches(clusterWith(reads), null, { ...ALL, limit: 7, after });
    ids.push(...page.batches.map(({ id }) => id));
    if (!page.hasMore) break;
  }
  assert.equal(ids, records.map(({ id }) => id).reverse());
  assert.ok(reads.every(({ where, limit }) => where !== undefined && limit === 8));
  const { batches } = await listBatches(clusterWith([]), null, { ...ALL, statuses: ['cancelled'] });
  assert.equal(
    batches.map(({ id }) => id),
    records
      .filter(({ status }) => status === 'cancelled')
      .map(({ id }) => id)
      .reverse(),
  );
});

test.run();
