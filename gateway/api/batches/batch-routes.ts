import { Type } from 'typebox';
import { cancelBatch, findBatch, submitBatch } from '../../../actors/batch/batch.ts';
import { BATCH_STATUSES, type BatchRecord, type BatchStatus } from '../../../actors/batch/batch-record.ts';
import { type BatchQuery, listBatches } from '../../../actors/batch/list-batches.ts';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { isBatchId } from '../../../actors/terms/ids.ts';
import { oneOf } from '../../dialects/request/members.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { batchBounds, batchSubmissionSchema } from '../../jobs/batch/parse-submission.ts';
import { instantOf } from '../../management/input.ts';
import { type GatewayError, invalid, notFound, refusalError, rejectionOf } from '../../terms/gateway-error.ts';
import { after, limitTo, type Operations, submissionHeaders } from '../wire/operation.ts';
import { batchObject } from './batch-object.ts';
import { batchListSchema, batchSchema } from './batch-schema.ts';
import { sendResults } from './inline-results.ts';
import { readSubmission, type SubmissionParts, submissionBody } from './read-submission.ts';

interface BatchParts extends SubmissionParts, Downloading {
  readonly cluster: Cluster;
  readonly askMs: number;
}

const INSTANT = 'Unix seconds, a date, or an ISO 8601 instant; exclusive.';
const batchId = { id: 'Id of the batch, as its submission answered it.' };

/** What the document says of the routes. */
export const BATCH_OPERATIONS: Operations = {
  'POST /batches': {
    key: 'inference',
    summary: 'Submits a batch of up to 1,000 requests',
    description: 'Each request is routed, held and charged as the same body posted to its route, within 24 hours.',
    answers: 'The batch is accepted.',
    headers: submissionHeaders('batch'),
    body: { BatchSubmission: batchSubmissionSchema },
    namesUnread: true,
    reply: { Batch: batchSchema },
    status: 202,
  },
  'GET /batches': {
    key: 'inference',
    summary: 'The batches of this account, newest first',
    description: 'Ended batches are listed for 30 days.',
    answers: 'A page of batches, without their results.',
    query: {
      status: Type.Array(oneOf(...BATCH_STATUSES), { description: 'Repeatable; one must match.' }),
      created_after: Type.String({ description: INSTANT }),
      created_before: Type.String({ description: INSTANT }),
      limit: limitTo(100),
      after,
    },
    reply: { BatchList: batchListSchema },
  },
  'GET /batches/{id}': {
    key: 'inference',
    summary: 'One batch, with its results',
    description: 'The results are there once the batch has ended, for 48 hours.',
    answers: 'The batch with its counts, and its results once it has ended.',
    path: batchId,
    reply: { Batch: batchSchema },
  },
  'POST /batches/{id}/cancel': {
    key: 'inference',
    summary: 'Cancels a batch',
    description: 'Requests that run are cut, the others are not sent. A batch that has ended is 409.',
    answers: 'The batch, as it is cancelled.',
    path: batchId,
    reply: { Batch: batchSchema },
  },
};

/** Batches of the caller's account. (rule B6, rule B26) */
export function batchRoutes(parts: BatchParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/batches',
      policy: 'key',
      body: submissionBody(parts),
      answer: (context) => submit(context, parts),
    },
    { method: 'GET', path: '/batches', policy: 'key', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/batches/:id', policy: 'key', answer: (context) => show(context, parts) },
    {
      method: 'POST',
      path: '/batches/:id/cancel',
      policy: 'key',
      isNeverShed: true,
      answer: (context) => cancel(context, parts),
    },
  ];
}

async function submit(context: RequestContext, parts: BatchParts): Promise<RouteAnswer> {
  const { cluster, config, askMs: withinMs } = parts;
  const bounds = batchBounds(config);
  const batch = await readSubmission(context, parts);
  try {
    return { ...json(batchObject(await submitBatch(cluster, batch, { bounds, withinMs }))), status: 202 };
  } catch (thrown) {
    throw rejectionOf(thrown, cluster.now()) ?? thrown;
  }
}

async function list(context: RequestContext, { cluster }: BatchParts): Promise<RouteAnswer> {
  const query = parseBatchQuery(new URLSearchParams(context.query));
  const { batches, hasMore } = await listBatches(cluster, accountOf(context), query);
  return json({
    object: 'list',
    data: batches.map(batchObject),
    first_id: batches.at(0)?.id ?? null,
    last_id: batches.at(-1)?.id ?? null,
    has_more: hasMore,
  });
}

async function show(context: RequestContext, parts: BatchParts): Promise<RouteAnswer | null> {
  const batch = await requireBatch(context, parts);
  return (await sendResults(context, parts, batch)) ? null : json(batchObject(batch));
}

async function cancel(context: RequestContext, parts: BatchParts): Promise<RouteAnswer> {
  const { cluster, askMs } = parts;
  const { account, id } = await requireBatch(context, parts);
  const answer = await cancelBatch(cluster, account, id, askMs);
  if (!('refusal' in answer)) return json(batchObject(answer));
  if (answer.refusal.status === 404) throw noSuchBatch();
  throw refusalError(answer.refusal, cluster.now());
}

/** The batch that the path names. */
async function requireBatch(context: RequestContext, { cluster }: BatchParts): Promise<BatchRecord> {
  const id = paramOf(context, 'id');
  const batch = isBatchId(id) ? await findBatch(cluster, accountOf(context), id) : null;
  if (batch === null) throw noSuchBatch();
  return batch;
}

/** The one answer for unknown and malformed ids and for ids of other accounts. (rule B7, rule B34) */
function noSuchBatch(): GatewayError {
  return notFound('No such batch');
}

/** The id of the caller's account. */
function accountOf(context: RequestContext): string {
  return ownerOf(callerOf(context).key);
}

function json(value: object): RouteAnswer {
  return jsonAnswer(JSON.stringify(value));
}

const PAGE = { usual: 20, most: 100 } as const;
const SECOND_MS = 1_000;

/** The filters of a list of batches. Throws GatewayError 400 naming the parameter. (rule B33) */
export function parseBatchQuery(query: URLSearchParams): BatchQuery {
  const after = textOf(query, 'after');
  if (after !== null && !isBatchId(after)) throw invalid('after must be the id of a batch');
  const createdAfter = timeOf(query, 'created_after');
  const createdBefore = timeOf(query, 'created_before');
  return {
    statuses: [...new Set(query.getAll('status').map(statusOf))],
    // Times are compared with `created_at` as it is shown, in whole seconds.
    createdAfter: createdAfter === null ? null : (Math.floor(createdAfter / SECOND_MS) + 1) * SECOND_MS - 1,
    createdBefore: createdBefore === null ? null : Math.ceil(createdBefore / SECOND_MS) * SECOND_MS,
    limit: limitOf(query, PAGE),
    after,
  };
}

function statusOf(text: string): BatchStatus {
  const status = BATCH_STATUSES.find((one) => one === text);
  if (status === undefined) throw invalid(`status must be one of ${BATCH_STATUSES.join(', ')}`);
  return status;
}

function timeOf(query: URLSearchParams, name: string): number | null {
  const text = textOf(query, name);
  if (text === null) return null;
  const at = instantOf(text);
  if (at === null) throw invalid(`${name} must be Unix seconds, a date or an ISO 8601 instant`);
  return at;
}
