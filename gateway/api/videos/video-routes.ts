import { Type } from 'typebox';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { isVideoJobId } from '../../../actors/terms/ids.ts';
import { type JobRecord, jobDocument, jobPath } from '../../../actors/video-job/job-record.ts';
import { cancelVideo, findVideoJob, listVideoJobs } from '../../../actors/video-job/video-job.ts';
import { sendClip } from '../../edge/downloads/clip-content.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, paramOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import { type Route, withHead } from '../../edge/route.ts';
import { readAttribution } from '../../edge/turns/attribution.ts';
import { readIdempotency } from '../../edge/turns/idempotency.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { parseVideo } from '../../jobs/video/parse-video.ts';
import { type SubmittingServices, submitVideoRequest } from '../../jobs/video/submit-video.ts';
import { videoRequestSchema } from '../../jobs/video/video-schema.ts';
import { exactText, renderExact } from '../../json/exact-json.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { type GatewayError, invalid, notFound, refusalError } from '../../terms/gateway-error.ts';
import { after, limitTo, type Operation, type Operations, submissionHeaders } from '../wire/operation.ts';
import { videoAcceptedSchema, videoJobListSchema, videoJobSchema } from './video-schema.ts';

interface VideoParts extends Downloading {
  readonly cluster: Cluster;
  readonly askMs: number;
}

const jobId = { id: 'Id of the job, as its submission answered it.' };
const clip: Pick<Operation, 'key' | 'path' | 'query' | 'headers' | 'bytes'> = {
  key: 'inference',
  path: jobId,
  query: { index: Type.Integer({ minimum: 0, description: 'Position of the clip, from 0.' }) },
  headers: {
    Range: Type.String({ description: 'One range: `bytes=first-last`, `bytes=first-` or `bytes=-count`.' }),
  },
  bytes: true,
};

/** What the document says of the routes. */
export const VIDEO_OPERATIONS: Operations = {
  'POST /videos': {
    key: 'inference',
    summary: 'Submits a video job',
    description: 'Its clip is rendered in the background; a `callback_url` receives the outcome.',
    answers: 'The job is accepted.',
    headers: submissionHeaders('job'),
    body: { VideoRequest: videoRequestSchema },
    reply: { VideoAccepted: videoAcceptedSchema },
    status: 202,
  },
  'GET /videos': {
    key: 'inference',
    summary: 'The video jobs of this account, newest first',
    description: 'Ended jobs are listed until their retention is over.',
    answers: 'A page of jobs.',
    query: { limit: limitTo(100), after },
    reply: { VideoJobList: videoJobListSchema },
  },
  'GET /videos/{id}': {
    key: 'inference',
    summary: 'One video job',
    description: 'A member is absent until its fact is known.',
    answers: 'The job with what is known of it.',
    path: jobId,
    reply: { VideoJob: videoJobSchema },
  },
  'GET /videos/{id}/content': {
    ...clip,
    summary: 'The bytes of one clip, whole or one range of them',
    description: 'A clip may be fetched within its window; afterwards it is 410.',
    answers: 'The bytes of the clip.',
  },
  'HEAD /videos/{id}/content': {
    ...clip,
    summary: 'The length of one clip',
    description: 'The headers of the GET; it counts as no delivery.',
    answers: 'The headers of the clip.',
  },
  'POST /videos/{id}/cancel': {
    key: 'inference',
    summary: 'Cancels a video job',
    description: 'A render is stopped where its provider can; a job that has ended is 409.',
    answers: 'The job as it is now.',
    path: jobId,
    reply: { VideoJob: videoJobSchema },
  },
};

/** Video jobs of the caller's account. (rule V29, rule V37) */
export function videoRoutes(parts: VideoParts): readonly Route[] {
  return [
    { method: 'GET', path: '/videos', policy: 'key', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/videos/:id', policy: 'key', answer: (context) => show(context, parts) },
    ...withHead({
      method: 'GET',
      path: '/videos/:id/content',
      policy: 'key',
      answer: (context) => content(context, parts),
    }),
    {
      method: 'POST',
      path: '/videos/:id/cancel',
      policy: 'key',
      isNeverShed: true,
      answer: (context) => cancel(context, parts),
    },
  ];
}

const PAGE = { usual: 20, most: 100 } as const;

async function list(context: RequestContext, { cluster }: VideoParts): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const limit = limitOf(query, PAGE);
  const after = textOf(query, 'after');
  if (after !== null && !isVideoJobId(after)) throw invalid('after must be the id of a video job');
  const { jobs, hasMore } = await listVideoJobs(cluster, accountOf(context), { limit, after });
  const page = {
    object: 'list',
    data: jobs.map((job) => exactText(jobDocument(job))),
    first_id: jobs.at(0)?.id ?? null,
    last_id: jobs.at(-1)?.id ?? null,
    has_more: hasMore,
  };
  return jsonAnswer(renderExact(page));
}

async function show(context: RequestContext, parts: VideoParts): Promise<RouteAnswer> {
  return jsonAnswer(jobDocument(await requireJob(context, parts)));
}

async function content(context: RequestContext, parts: VideoParts): Promise<null> {
  return sendClip(context, parts, await requireJob(context, parts));
}

async function cancel(context: RequestContext, parts: VideoParts): Promise<RouteAnswer> {
  const { cluster, askMs } = parts;
  const answer = await cancelVideo(cluster, await requireJob(context, parts), askMs);
  if (!('refusal' in answer)) return jsonAnswer(jobDocument(answer));
  if (answer.refusal.status === 404) throw noSuchJob();
  throw refusalError(answer.refusal, cluster.now());
}

/** The job that the path names. */
async function requireJob(context: RequestContext, { cluster }: VideoParts): Promise<JobRecord> {
  const id = paramOf(context, 'id');
  const job = isVideoJobId(id) ? await findVideoJob(cluster, accountOf(context), id) : null;
  if (job === null) throw noSuchJob();
  return job;
}

/** The one answer for unknown and malformed ids and for ids of other accounts. (rule V36) */
function noSuchJob(): GatewayError {
  return notFound('No such video job');
}

/** The id of the caller's account. */
function accountOf(context: RequestContext): string {
  return ownerOf(callerOf(context).key);
}

interface SubmitVideoParts {
  readonly submitting: SubmittingServices;
  readonly config: Pick<ClusterConfig, 'videos' | 'webhooks'>;
  /** Secret mixed into the digest of every `Idempotency-Key`. */
  readonly pepper: Uint8Array;
}

/** `POST /videos`: 202 with the id of the job. (rule V2, rule V5) */
export function submitVideoRoute(parts: SubmitVideoParts): Route {
  return {
    method: 'POST',
    path: '/videos',
    policy: 'key',
    body: { type: 'json', bounds: { bodyBytesMax: parts.config.videos.submissionBytesMax }, isJob: true },
    answer: (context) => submit(context, parts),
  };
}

async function submit(context: RequestContext, parts: SubmitVideoParts): Promise<RouteAnswer> {
  const { submitting, pepper } = parts;
  const { webhooks: rules } = parts.config;
  // Assets are judged and sealed in the background.
  context.place?.leave();
  const caller = callerOf(context);
  const loop = submitting.files.background.of(ownerOf(caller.key));
  const idempotency = readIdempotency(context, pepper);
  const request = await parseVideo(takeBody(context).value, { rules, loop });
  const { id, status, generation } = await submitVideoRequest(submitting, {
    request,
    caller,
    attribution: readAttribution(context.request.headers),
    idempotency,
    generation: context.id,
    isGone: () => context.response.destroyed,
  });
  return { ...jsonAnswer(JSON.stringify({ id, polling_url: jobPath(id), status })), status: 202, id: generation };
}
