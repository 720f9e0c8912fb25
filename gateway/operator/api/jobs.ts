import { Type } from 'typebox';
import {
  BATCH_ACCOUNT,
  BATCH_STATUS_OF_ALL,
  BATCH_STATUSES,
  type BatchRecord,
} from '../../../actors/batch/batch-record.ts';
import type { RowReader } from '../../../actors/runtime/index.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import {
  JOB_ACCOUNT,
  JOB_STATUS_OF_ALL,
  type JobRecord,
  VIDEO_STATUSES,
} from '../../../actors/video-job/job-record.ts';
import {
  DELIVERY_ACCOUNT,
  DELIVERY_STATUS,
  DELIVERY_STATUSES,
  type DeliveryRecord,
} from '../../../actors/webhook/delivery-record.ts';
import { isInvalid, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { accountNamed } from '../lists/named.ts';
import { type ListStream, PLACE, walk } from '../lists/walk.ts';
import { ActorNames } from '../names.ts';

const ACCOUNT = Type.Optional(Type.String({ description: 'id, address or whole name of an account' }));

export const jobRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/jobs',
    policy: 'viewer',
    summary: 'Batches or videos of all accounts, the newest first.',
    query: listQuery({
      kind: Type.Enum(['batch', 'video']),
      status: Type.Optional(Type.String({ description: 'one, or several separated by commas' })),
      account: ACCOUNT,
    }),
    answers: listOf(Type.Object({}, { description: 'one job' })),
    answer: ({ cluster: { rows }, query }) => {
      const page = { ...pageOf(query, PLACE), account: query.account, status: query.status?.split(',') };
      return query.kind === 'batch' ? list(rows, page, BATCHES, batchEntry) : list(rows, page, VIDEOS, videoEntry);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/webhooks',
    policy: 'viewer',
    summary: 'Deliveries to the addresses that accounts named, the newest first.',
    query: listQuery({ status: Type.Optional(Type.Enum(DELIVERY_STATUSES)), account: ACCOUNT }),
    answers: listOf(Type.Object({}, { description: 'one delivery' })),
    answer: ({ cluster: { rows }, query }) => {
      const status = query.status === undefined ? undefined : [query.status];
      return list(rows, { ...pageOf(query, PLACE), account: query.account, status }, DELIVERIES, deliveryEntry);
    },
  }),
];

/** How rows of a collection are found: by account, and over all accounts by each status. */
interface Listing {
  readonly collection: string;
  readonly account: 0 | 1 | 2 | 3;
  readonly status: 0 | 1 | 2 | 3;
  readonly statuses: readonly string[];
}

const BATCHES: Listing = {
  collection: 'batch',
  account: BATCH_ACCOUNT,
  status: BATCH_STATUS_OF_ALL,
  statuses: BATCH_STATUSES,
};
const VIDEOS: Listing = {
  collection: 'job',
  account: JOB_ACCOUNT,
  status: JOB_STATUS_OF_ALL,
  statuses: VIDEO_STATUSES,
};
const DELIVERIES: Listing = {
  collection: 'delivery',
  account: DELIVERY_ACCOUNT,
  status: DELIVERY_STATUS,
  statuses: DELIVERY_STATUSES,
};

interface ListAsked extends ReturnType<typeof pageOf<typeof PLACE>> {
  readonly account: string | undefined;
  /** Undefined: any. */
  readonly status: readonly string[] | undefined;
}

interface Listed {
  readonly account: string;
  readonly status: string;
}

async function list<Record extends Listed, Entry extends object>(
  rows: RowReader,
  { account, status, limit, after }: ListAsked,
  { collection, ...columns }: Listing,
  entryOf: (record: Record, address: string) => Entry,
) {
  const unknown = status?.find((one) => !columns.statuses.includes(one));
  if (unknown !== undefined) throw isInvalid('status', `${unknown} is none; write ${columns.statuses.join(', ')}`);
  const statuses = status ?? columns.statuses;
  const streams: readonly ListStream[] =
    account === undefined
      ? statuses.map((one) => ({ collection, where: { column: columns.status, equals: one } }))
      : [{ collection, where: { column: columns.account, equals: ownerOf(await accountNamed(rows, account)) } }];
  const isWanted = (one: Listed): boolean => statuses.includes(one.status);
  const found = await walk(rows, { streams, after, limit, keeps: ({ body }) => isWanted(JSON.parse(body) as Listed) });
  const names = new ActorNames(rows);
  const entries = found.rows.map(async ({ body, address }) => {
    const record = JSON.parse(body) as Record;
    const owner = accountAddress(record.account);
    return { ...entryOf(record, address), account: owner, accountName: await names.of(owner) };
  });
  return walked(await Promise.all(entries), found.next);
}

type WithOwner<Entry> = Entry & { readonly account: string; readonly accountName: string | null };
/** A batch or a video of a list. */
export type ListedJob = WithOwner<ReturnType<typeof batchEntry>>;
/** A delivery of a list. */
export type ListedDelivery = WithOwner<ReturnType<typeof deliveryEntry>>;

function batchEntry({ id, status, model, counts, createdAt, finalizedAt }: BatchRecord, address: string) {
  const { total, completed, failed } = counts;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  const progress = `${completed + failed} of ${total} lines${failures}`;
  return { id, address, kind: 'batch', status, model, progress, createdAt, endedAt: finalizedAt };
}

function videoEntry({ id, status, model, run, clipSeconds, createdAt, endedAt }: JobRecord, address: string) {
  const progress = clipSeconds === null ? `run ${run}` : `${clipSeconds.join(' + ')} s rendered`;
  return { id, address, kind: 'video', status, model, progress, createdAt, endedAt };
}

/** The path of a URL may contain a receiver's token. */
function deliveryEntry(delivery: DeliveryRecord, address: string) {
  const { id, status, type, job, url, attempts, nextAttemptAt, createdAt } = delivery;
  const failures = attempts.filter(({ outcome }) => outcome !== null && outcome !== '2xx');
  return {
    id,
    address,
    status,
    job,
    event: type,
    url: new URL(url).host,
    attempts: attempts.length,
    lastFailure: failures.at(-1)?.outcome ?? null,
    nextAt: nextAttemptAt,
    at: createdAt,
  };
}
