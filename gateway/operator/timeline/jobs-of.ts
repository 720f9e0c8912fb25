/** The job that a generation belongs to, and the webhooks that told of it. */
import { BATCH_ACCOUNT, type BatchRecord } from '../../../actors/batch/batch-record.ts';
import { ownerOf, type RowReader } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { batchAddress, lineGenerationId, videoJobAddress, webhookEventId } from '../../../actors/terms/ids.ts';
import { WEBHOOK_TYPES } from '../../../actors/terms/webhook.ts';
import { JOB_ACCOUNT, type JobRecord } from '../../../actors/video-job/job-record.ts';
import type { DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';

/** Jobs of the account that are compared: those of the same second, or the newest before the hold. */
const JOBS_MAX = 100;

interface Job {
  readonly address: string;
  /** In words. */
  readonly what: string;
}

type Rows = Pick<RowReader, 'rows' | 'rowById'>;

/** Null: a live request, or a job that is no longer kept. */
export async function jobOf(rows: Rows, account: string, row: Generation): Promise<Job | null> {
  if (row.gateway !== null) return null;
  return row.apiType === 'video' ? videoOf(rows, account, row) : lineOf(rows, account, row);
}

async function videoOf(rows: Rows, account: string, { generation, createdAt }: Generation): Promise<Job | null> {
  const where = { column: JOB_ACCOUNT, equals: ownerOf(account) } as const;
  const after = { sort: createdAt + 1, id: '' };
  const found = await rows.rows({ collection: 'job', where, order: 'descending', after, limit: JOBS_MAX });
  const job = found.map(({ body }) => JSON.parse(body) as JobRecord).find((one) => one.generation === generation);
  return job === undefined ? null : { address: videoJobAddress(job.account, job.id), what: `video job ${job.id}` };
}

/** The id of a line's generation is derived from its batch and has the batch's time. */
async function lineOf(rows: Rows, account: string, { generation }: Generation): Promise<Job | null> {
  const second = Number(/^gen-(\d{10})/.exec(generation)?.[1] ?? 0) * 1_000;
  const where = { column: BATCH_ACCOUNT, equals: ownerOf(account) } as const;
  const after = { sort: second + 1_000, id: '' };
  const found = await rows.rows({ collection: 'batch', where, order: 'descending', after, limit: JOBS_MAX });
  for (const { body } of found.filter(({ sort }) => sort >= second)) {
    const { id, account: owner, counts } = JSON.parse(body) as BatchRecord;
    for (let index = 0; index < counts.total; index++) {
      if (lineGenerationId(id, index) !== generation) continue;
      return { address: batchAddress(owner, id), what: `line ${index} of ${counts.total} of ${id}` };
    }
  }
  return null;
}

/** The deliveries about a job, of which each type is made at most once. */
export async function deliveriesOf(rows: Rows, job: string): Promise<readonly DeliveryRecord[]> {
  const id = job.slice(job.indexOf('/') + 1);
  const found = await Promise.all(WEBHOOK_TYPES.map((type) => rows.rowById('delivery', webhookEventId(id, type))));
  return found.flatMap((row) => (row === null ? [] : [JSON.parse(row.body) as DeliveryRecord]));
}
