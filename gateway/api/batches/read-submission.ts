import { ACTIVE_BATCHES_MAX, queueFull } from '../../../actors/account/queue.ts';
import type { NewBatch } from '../../../actors/batch/batch-state.ts';
import { countActive } from '../../../actors/batch/list-batches.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { readJson } from '../../edge/body/read-json.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import { readAttribution } from '../../edge/turns/attribution.ts';
import { readIdempotency } from '../../edge/turns/idempotency.ts';
import {
  parseSubmission,
  SUBMISSION_MEMBERS,
  SUBMISSION_TEXTS,
  type Submission,
} from '../../jobs/batch/parse-submission.ts';
import { type InputFile, type InputRequests, readInputFile } from '../../jobs/batch/read-input-file.ts';
import { sealSubmission } from '../../jobs/batch/seal-submission.ts';
import type { Caller } from '../../terms/caller.ts';
import { refusalError } from '../../terms/refusal-error.ts';
import { nameUnread } from '../wire/body-reader.ts';

/** Bodies nested more deeply than a live request's are refused alone, below this depth of the whole. */
const DEPTH_MAX = 1_024;

/**
 * Reads the submission of a batch: the envelope checked whole, each body validated alone, the valid bodies sealed.
 * Rejects with GatewayError 400 naming the member, 404 (`input_file_id`), 408, 413, 429 (full queue), 503. (rule B1,
 * rule B2)
 */
export async function readSubmission(context: RequestContext, edge: EdgeRoutes): Promise<NewBatch> {
  const { services } = edge;
  const { files, limits } = services;
  const { submissionBytesMax, windowMs } = services.inference.config.batches;
  const tokensMax = limits.bodyTokensMax * Math.ceil(submissionBytesMax / limits.bodyBytesMax);
  const bounds = { bodyBytesMax: submissionBytesMax, bodyDepthMax: DEPTH_MAX, bodyTokensMax: tokensMax };
  // It waits for its client, then for its turns in the background.
  context.place?.leave();
  await refuseFullQueue(context, edge);
  const body = await readJson(context, edge, { bounds, texts: SUBMISSION_TEXTS, isJob: true });
  const idempotency = readIdempotency(context, services.pepper);
  const caller = callerOf(context);
  const submission = await files.background.run(ownerOf(caller.key), () => {
    const value = body.take();
    const parsed = parseSubmission(value);
    nameUnread(context, SUBMISSION_MEMBERS, value as object);
    return parsed;
  });
  const { requests, release } = await requestsOf(edge, submission, { caller, limits: bounds });
  const attribution = readAttribution(context.request.headers);
  const isGone = (): boolean => context.response.destroyed;
  const sealing = { submission, requests, caller, attribution, idempotency, windowMs, limits, isGone };
  return sealSubmission(files, sealing).finally(release);
}

/**
 * Refuses a submission of an account whose queue is full before its body is read: the account would refuse it after a
 * thousand bodies were judged and sealed. A repeat of an accepted submission has its key, and is answered as before.
 */
async function refuseFullQueue(context: RequestContext, { services }: EdgeRoutes): Promise<void> {
  if (context.request.headers['idempotency-key'] !== undefined) return;
  const { cluster } = services;
  const active = await countActive(cluster, ownerOf(callerOf(context).key), ACTIVE_BATCHES_MAX);
  if (active >= ACTIVE_BATCHES_MAX) throw refusalError(queueFull(active), cluster.now());
}

async function requestsOf(
  { services }: EdgeRoutes,
  { source, endpoint }: Submission,
  { caller, limits }: { readonly caller: Caller } & Pick<InputFile, 'limits'>,
): Promise<InputRequests> {
  if (!('fileId' in source)) return { requests: source, release: nothing };
  const { fileRoom: room } = services.inference;
  return readInputFile(services.files, { account: ownerOf(caller.key), id: source.fileId, endpoint, limits, room });
}

function nothing(): void {}
