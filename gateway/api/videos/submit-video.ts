import { ownerOf } from '../../../actors/runtime/index.ts';
import { jobPath } from '../../../actors/video-job/job-record.ts';
import type { RequestBodies } from '../../edge/body/request-bodies.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { readAttribution } from '../../edge/turns/attribution.ts';
import { readIdempotency } from '../../edge/turns/idempotency.ts';
import type { FileServices } from '../../files/file-services.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import type { InferenceServices } from '../../inference/services.ts';
import { parseVideo } from '../../jobs/video/parse-video.ts';
import { submitVideoRequest } from '../../jobs/video/submit-video.ts';

export interface SubmitVideoParts {
  readonly inference: InferenceServices;
  readonly bodies: RequestBodies;
  readonly files: FileServices;
  /** Secret mixed into the digest of every `Idempotency-Key`. */
  readonly pepper: Uint8Array;
}

/** `POST /videos`: 202 with the id of the job. (rule V2, rule V5) */
export function submitVideoRoute(parts: SubmitVideoParts): Route {
  return {
    method: 'POST',
    path: '/videos',
    policy: 'key',
    body: 'none',
    answer: (context) => submit(context, parts),
  };
}

async function submit(context: RequestContext, parts: SubmitVideoParts): Promise<RouteAnswer> {
  const { inference, pepper, files, bodies } = parts;
  const { videos, webhooks: rules } = inference.config;
  const caller = callerOf(context);
  const loop = files.background.of(ownerOf(caller.key));
  const bounds = { bodyBytesMax: videos.submissionBytesMax };
  const body = await bodies.json(context, { bounds, background: loop });
  const idempotency = readIdempotency(context, pepper);
  const request = await parseVideo(body.take(), { rules, loop });
  const { id, status, generation } = await submitVideoRequest(inference, {
    request,
    caller,
    attribution: readAttribution(context.request.headers),
    ...{ idempotency, generation: context.id },
    isGone: () => context.response.destroyed,
  });
  return { ...jsonAnswer(JSON.stringify({ id, polling_url: jobPath(id), status })), status: 202, id: generation };
}
