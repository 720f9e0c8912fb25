/** One batch or one video of any account: as its owner sees it, with the account and the key; and its cancellation. */
import { Type } from 'typebox';
import { cancelBatch } from '../../../../actors/batch/batch.ts';
import type { BatchRecord } from '../../../../actors/batch/batch-record.ts';
import type { Cluster } from '../../../../actors/runtime/index.ts';
import type { Principal } from '../../../../actors/terms/principal.ts';
import type { RefusedAnswer } from '../../../../actors/terms/refusal.ts';
import { type JobRecord, jobDocument } from '../../../../actors/video-job/job-record.ts';
import { cancelVideo } from '../../../../actors/video-job/video-job.ts';
import { type BatchObject, batchObject } from '../../../api/batches/batch-object.ts';
import { refusalError } from '../../../terms/gateway-error.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { ASK_MS } from '../account/managing.ts';

/** What the API, which speaks to the account itself, leaves out. */
export interface OwnedJob {
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
}

interface JobKind<R extends OwnedJob> {
  readonly name: 'batch' | 'video';
  readonly collection: string;
  readonly address: (id: string) => string;
  readonly cancel: (cluster: Cluster, record: R, by: Principal) => Promise<R | RefusedAnswer>;
  readonly shown: (record: R) => object;
}

const BATCH: JobKind<BatchRecord> = {
  name: 'batch',
  collection: 'batch',
  address: (id) => `batch:${id}`,
  cancel: (cluster, { account, id }, by) => cancelBatch(cluster, account, id, ASK_MS, by),
  shown: shownBatch,
};
const VIDEO: JobKind<JobRecord> = {
  name: 'video',
  collection: 'job',
  address: (id) => `video-job:${id}`,
  cancel: (cluster, record, by) => cancelVideo(cluster, record, ASK_MS, by),
  shown: shownVideo,
};

export const oneJobRoutes: readonly OperatorRoute[] = [...routesOf(BATCH), ...routesOf(VIDEO)];

function routesOf<R extends OwnedJob>(kind: JobKind<R>): readonly OperatorRoute[] {
  const { name, address, cancel, shown } = kind;
  const path = `/api/${name === 'batch' ? 'batches' : 'videos'}/:id` as '/api/batches/:id';
  return [
    operatorRoute({
      method: 'GET',
      path,
      policy: 'viewer',
      summary: `One ${name} of any account, as its owner sees it, with the account and the key.`,
      answer: async ({ cluster, params: { id } }) => shown(await recordOf(kind, cluster, id)),
    }),
    change({
      path: `${path}/cancel` as '/api/batches/:id/cancel',
      summary: `Cancel a ${name} of any account.`,
      answers: { job: Type.Object({}, { description: 'the job as it is then' }) },
      plan: async ({ cluster, params: { id }, body, principal }): Promise<ChangePlan> => {
        const record = await recordOf(kind, cluster, id);
        return {
          would: `cancel the ${name} ${id} of ${record.account}`,
          command: `troupe ${name} cancel ${id} --reason ${quoted(body.reason)}`,
          audit: { action: `${name}.cancel`, target: address(`${record.account}/${id}`), detail: {} },
          run: async () => {
            const answer = await cancel(cluster, record, principal);
            if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
            return { did: `cancelled ${id}`, job: shown(answer) };
          },
        };
      },
    }),
  ];
}

async function recordOf<R extends OwnedJob>(
  { collection, address }: JobKind<R>,
  { rows }: Cluster,
  id: string,
): Promise<R> {
  const row = await rows.rowById(collection, id);
  if (row === null) throw isAbsent(address(id));
  return JSON.parse(row.body) as R;
}

function shownBatch(record: BatchRecord): Omit<BatchObject, 'results'> & OwnedJob {
  const { results: _, ...batch } = batchObject(record);
  return { account: record.account, key: record.key, ...batch };
}

function shownVideo(record: JobRecord): object {
  const { account, key, model, createdAt } = record;
  const video = JSON.parse(jobDocument(record)) as object;
  return { account, key, model, created_at: Math.floor(createdAt / 1_000), ...video };
}
