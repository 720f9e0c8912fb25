import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, VideoCall } from '../calls/call-log.ts';
import type { Holds } from '../calls/holds.ts';
import { sendClip } from './send-clip.ts';
import { clipOf, shownJob, statusOf, type VideoJob, VideoJobs } from './video-jobs.ts';
import { orderOf, type RenderOrder, type VideoRequest } from './video-request.ts';

export interface VideoSite {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Starts the record of one call. */
  readonly record: (video: VideoCall, order: RenderOrder | null, body: VideoRequest) => Call;
}

const JOB_ROUTE = /^\/v1\/videos\/([\w-]{1,80})(\/content|\/cancel)?(?:\?.*)?$/;

/**
 * The video routes of a simulated provider, in two dialects: jobs (`POST /v1/videos`, then polls and the content), and
 * the clip itself as the answer of a `POST` that accepts `video/mp4`.
 */
export class VideoRoutes {
  readonly #jobs: VideoJobs;
  readonly #provider: string;
  readonly #failed = new Map<string, number>();

  constructor(provider: string, holds: Holds) {
    this.#provider = provider;
    this.#jobs = new VideoJobs(provider, holds);
  }

  create(site: VideoSite, text: string): void {
    const { request, response } = site;
    const body = JSON.parse(text) as VideoRequest;
    const order = orderOf(body);
    const key = request.headers['idempotency-key'];
    const video: VideoCall = { ...blank('create'), idempotencyKey: typeof key === 'string' ? key : null };
    const call = site.record(video, order, body);
    const { directive } = order;
    if (directive.hang === 'create') return;
    if (directive.garbage === 'create') return void answer(response, call, 200, '{"id": "vid');
    if (directive.status !== undefined && this.#fails(order)) {
      const retry = directive.retry_after === undefined ? {} : { 'retry-after': directive.retry_after };
      return void answer(response, call, directive.status, failureText(directive.status), retry);
    }
    const { job, repeated } = this.#jobs.create(order, video.idempotencyKey);
    Object.assign(video, { job: job.id, repeated });
    if (directive.cut === 'create') return void cut(response, call);
    if (request.headers.accept === 'video/mp4') return void this.#renderNow(site, job, call, video);
    const answered = (): void => answer(response, call, 202, JSON.stringify(shownJob(job)));
    if (directive.create_ms === undefined) return void answered();
    const timer = setTimeout(answered, directive.create_ms);
    response.once('close', () => clearTimeout(timer));
  }

  /** False: no route of a video job. */
  onJob(site: VideoSite): boolean {
    const { request, response } = site;
    const [, id = '', rest = ''] = JOB_ROUTE.exec(request.url ?? '') ?? [];
    const method = rest === '/cancel' ? 'POST' : 'GET';
    if (id === '' || request.method !== method) return false;
    const found = this.#jobs.find(id);
    const job = found?.order.directive.lost === true ? null : found;
    const route = rest === '' ? 'poll' : rest === '/cancel' ? 'cancel' : 'content';
    const video: VideoCall = { ...blank(route), job: id };
    const call = site.record(video, found?.order ?? null, {});
    if (job === null) answer(response, call, 404, failureText(404));
    else if (route === 'poll') poll(response, job, call);
    else if (route === 'cancel') cancel(response, job, call);
    else content(response, job, { call, video });
    return true;
  }

  /** `status` applies to every create, or to the first ones of an id. */
  #fails({ directive }: RenderOrder): boolean {
    if (directive.only_on !== undefined && directive.only_on !== this.#provider) return false;
    const name = directive.id ?? '';
    const count = (this.#failed.get(name) ?? 0) + 1;
    this.#failed.set(name, count);
    return directive.fail_first === undefined || count <= directive.fail_first;
  }

  #renderNow({ response }: VideoSite, job: VideoJob, call: Call, video: VideoCall): void {
    const timer = setTimeout(() => content(response, job, { call, video }), job.order.renderMs);
    response.once('close', () => clearTimeout(timer));
  }
}

function poll(response: ServerResponse, job: VideoJob, call: Call): void {
  const { hang, garbage, polls_fail = 0 } = job.order.directive;
  job.polls += 1;
  if (hang === 'poll') return;
  if (garbage === 'poll') return void answer(response, call, 200, '[]');
  if (job.polls <= polls_fail) return void answer(response, call, 500, failureText(500));
  answer(response, call, 200, JSON.stringify(shownJob(job)));
}

function cancel(response: ServerResponse, job: VideoJob, call: Call): void {
  if (job.order.directive.cancels === false) return void answer(response, call, 405, failureText(405));
  const status = statusOf(job);
  if (status === 'queued' || status === 'in_progress') job.cancelledAt = Date.now();
  answer(response, call, 200, JSON.stringify(shownJob(job)));
}

function content(
  response: ServerResponse,
  { order }: VideoJob,
  { call, video }: { readonly call: Call; readonly video: VideoCall },
): void {
  const { directive } = order;
  if (directive.hang === 'content') return;
  if (directive.fail !== undefined) return void answer(response, call, 422, failureText(422, directive.fail));
  call.status = 200;
  call.firstByteAt = Date.now();
  const sent = (bytes: number): void => {
    video.bytes = bytes;
  };
  void sendClip(response, clipOf(order), directive, sent).then((outcome) => {
    if (call.outcome === 'open') call.outcome = outcome;
  });
}

function answer(
  response: ServerResponse,
  call: Call,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  call.status = status;
  call.firstByteAt = Date.now();
  call.outcome = status < 300 ? 'served' : 'status';
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function cut(response: ServerResponse, call: Call): void {
  call.outcome = 'cut';
  response.destroy();
}

function failureText(status: number, code?: string): string {
  return JSON.stringify({ error: { message: `simulated failure ${status}`, ...(code === undefined ? {} : { code }) } });
}

function blank(route: VideoCall['route']): VideoCall {
  return { route, job: null, idempotencyKey: null, repeated: false, bytes: 0 };
}
