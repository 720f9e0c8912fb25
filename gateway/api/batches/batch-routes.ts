import { cancelBatch, findBatch, submitBatch } from '../../../actors/batch/batch.ts';
import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import { listBatches } from '../../../actors/batch/list-batches.ts';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { isBatchId } from '../../../actors/terms/ids.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { batchBounds } from '../../jobs/batch/parse-submission.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { notFound, refusalError, rejectionOf } from '../../terms/gateway-error.ts';
import { batchObject } from './batch-object.ts';
import { parseBatchQuery } from './batch-query.ts';
import { sendResults } from './inline-results.ts';
import { readSubmission, type SubmissionParts } from './read-submission.ts';

export interface BatchParts extends SubmissionParts, Downloading {
  readonly cluster: Cluster;
  readonly askMs: number;
}

/** Batches of the caller's account. (rule B6, rule B26) */
export function batchRoutes(parts: BatchParts): readonly Route[] {
  return [
    { method: 'POST', path: '/batches', policy: 'key', body: 'none', answer: (context) => submit(context, parts) },
    { method: 'GET', path: '/batches', policy: 'key', body: 'none', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/batches/:id', policy: 'key', body: 'none', answer: (context) => show(context, parts) },
    {
      method: 'POST',
      path: '/batches/:id/cancel',
      policy: 'key',
      body: 'none',
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
