import { ACTIVE_BATCHES_MAX, queueFull } from '../../../actors/account/queue.ts';
import type { NewBatch } from '../../../actors/batch/batch-state.ts';
import { countActive } from '../../../actors/batch/list-batches.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import type { BodyRequest, RouteBody } from '../../edge/body/route-body.ts';
import { callerOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import { readAttribution } from '../../edge/turns/attribution.ts';
import { readIdempotency } from '../../edge/turns/idempotency.ts';
import type { FileRoom, FileServices } from '../../files/file-services.ts';
import {
  parseSubmission,
  SUBMISSION_MEMBERS,
  SUBMISSION_TEXTS,
  type Submission,
} from '../../jobs/batch/parse-submission.ts';
import { type InputFile, type InputRequests, readInputFile } from '../../jobs/batch/read-input-file.ts';
import { sealSubmission } from '../../jobs/batch/seal-submission.ts';
import type { Caller } from '../../terms/caller.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { refusalError } from '../../terms/gateway-error.ts';

/** Bodies nested more deeply than a live request's are refused alone, below this depth of the whole. */
const DEPTH_MAX = 1_024;

export interface SubmissionParts {
  readonly files: FileServices;
  readonly fileRoom: FileRoom;
  readonly config: ClusterConfig;
  /** Secret mixed into the digest of every `Idempotency-Key`. */
  readonly pepper: Uint8Array;
}

/** What the submission of a batch is read by. */
export function submissionBody({ files, config }: Pick<SubmissionParts, 'files' | 'config'>): RouteBody {
  return {
    type: 'json',
    members: SUBMISSION_MEMBERS,
    bounds: boundsOf(config),
    texts: SUBMISSION_TEXTS,
    isJob: true,
    before: (context) => refuseFullQueue(context, files),
  };
}

function boundsOf({ edge, batches }: Pick<ClusterConfig, 'edge' | 'batches'>) {
  const { submissionBytesMax: bodyBytesMax } = batches;
  const bodyTokensMax = edge.bodyTokensMax * Math.ceil(bodyBytesMax / edge.bodyBytesMax);
  return { bodyBytesMax, bodyDepthMax: DEPTH_MAX, bodyTokensMax };
}

/**
 * Reads the submission of a batch: the envelope checked whole, each body validated alone, the valid bodies sealed.
 * Rejects with GatewayError 400 naming the member, 404 (`input_file_id`), 408, 413, 429 (full queue), 503. (rule B1,
 * rule B2)
 */
export async function readSubmission(context: RequestContext, parts: SubmissionParts): Promise<NewBatch> {
  const { files, config } = parts;
  const { edge: limits } = config;
  const { windowMs } = config.batches;
  // It waits for its turns in the background.
  context.place?.leave();
  const caller = callerOf(context);
  const idempotency = readIdempotency(context, parts.pepper);
  const submission = await files.background.run(ownerOf(caller.key), () => parseSubmission(takeBody(context).value));
  const { requests, release } = await requestsOf(parts, submission, { caller, limits: boundsOf(config) });
  const attribution = readAttribution(context.request.headers);
  const isGone = (): boolean => context.response.destroyed;
  const sealing = { submission, requests, caller, attribution, idempotency, windowMs, limits, isGone };
  return sealSubmission(files, sealing).finally(release);
}

/**
 * Refuses a submission of an account whose queue is full before its body is read: the account would refuse it after a
 * thousand bodies were judged and sealed. A repeat of an accepted submission has its key, and is answered as before.
 */
async function refuseFullQueue({ request, caller }: BodyRequest, { cluster }: FileServices): Promise<void> {
  if (caller === null || request.headers['idempotency-key'] !== undefined) return;
  const active = await countActive(cluster, ownerOf(caller.key), ACTIVE_BATCHES_MAX);
  if (active >= ACTIVE_BATCHES_MAX) throw refusalError(queueFull(active), cluster.now());
}

async function requestsOf(
  { files, fileRoom: room }: SubmissionParts,
  { source, endpoint }: Submission,
  { caller, limits }: { readonly caller: Caller } & Pick<InputFile, 'limits'>,
): Promise<InputRequests> {
  if (!('fileId' in source)) return { requests: source, release: nothing };
  return readInputFile(files, { account: ownerOf(caller.key), id: source.fileId, endpoint, limits, room });
}

function nothing(): void {}
