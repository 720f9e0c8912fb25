import { ownerOf } from '../../../actors/runtime/index.ts';
import { jobPath } from '../../../actors/video-job/job-document.ts';
import { readJson } from '../../edge/body/read-json.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { readAttribution } from '../../edge/turns/attribution.ts';
import { readIdempotency } from '../../edge/turns/idempotency.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { parseVideo } from '../../jobs/video/parse-video.ts';
import { submitVideoRequest } from '../../jobs/video/submit-video.ts';

/** `POST /videos`: 202 with the id of the job. (rule V2, rule V5) */
export const submitVideoRoute: Route = {
  method: 'POST',
  path: '/videos',
  policy: 'key',
  body: 'none',
  answer: submit,
};

async function submit(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { inference, pepper, files } = edge.services;
  const { videos, webhooks: rules } = inference.config;
  const body = await readJson(context, edge, { bounds: { bodyBytesMax: videos.submissionBytesMax }, isJob: true });
  const idempotency = readIdempotency(context, pepper);
  const caller = callerOf(context);
  const loop = files.background.of(ownerOf(caller.key));
  const request = await parseVideo(body.take(), { rules, loop });
  const { id, status, generation } = await submitVideoRequest(inference, {
    request,
    caller,
    attribution: readAttribution(context.request.headers),
    ...{ idempotency, generation: context.id },
    isGone: () => context.response.destroyed,
  });
  return { ...jsonAnswer(JSON.stringify({ id, polling_url: jobPath(id), status })), status: 202, generation };
}
