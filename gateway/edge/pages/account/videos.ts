import { isVideoJobId } from '../../../../actors/terms/ids.ts';
import type { JobRecord } from '../../../../actors/video-job/job-record.ts';
import { listVideoJobs } from '../../../../actors/video-job/list-jobs.ts';
import { cancelVideo, findVideoJob } from '../../../../actors/video-job/video-job.ts';
import { notFound } from '../../../terms/not-found.ts';
import { refusalError } from '../../../terms/refusal-error.ts';
import { sendClip } from '../../api/videos/clip-content.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateContent, privateForm, privatePage } from '../page-route.ts';
import { badge, buttonForm, facts, olderLink, table } from '../parts/elements.ts';
import { generationLink, shortId, time, usd, usdCell } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;
const RUNNING: ReadonlySet<string> = new Set(['pending', 'in_progress']);

/** `/account/videos`: every video job, and its clips to play. */
export const videoPageRoutes: readonly Route[] = [
  ...privatePage('/account/videos', showList),
  ...privatePage('/account/videos/:id', showOne),
  ...privateContent('/account/videos/:id/content', async (visit) =>
    sendClip(visit.context, visit.edge, await requireJob(visit)),
  ),
  privateForm('/account/videos/:id/cancel', cancel),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const asked = new URLSearchParams(context.query).get('after');
  const { jobs, hasMore } = await listVideoJobs(edge.services.cluster, session.account, {
    limit: PAGE,
    after: asked !== null && isVideoJobId(asked) ? asked : null,
  });
  const list = table({
    caption: 'Video jobs, newest first',
    columns: ['Created (UTC)', 'Job', 'Model', 'Status', { number: 'Seconds' }, { number: 'USD' }],
    rows: jobs.map((job) => [
      time(job.createdAt),
      html`<a href="/account/videos/${job.id}">${shortId(job.id)}</a>`,
      ...[job.model, badge(job.status), job.usage?.videoSeconds ?? '–'],
      job.usage === null ? '–' : usdCell(job.usage.cost),
    ]),
    empty: html`No video yet. <code>npx troupe video submit</code> or <code>POST /api/v1/videos</code> asks for one.`,
  });
  const content = html`${section('Video jobs', list)}
${olderLink('/account/videos', hasMore ? (jobs.at(-1)?.id ?? null) : null)}`;
  const isLive = jobs.some(({ status }) => RUNNING.has(status));
  return accountPage(visit, { title: 'Videos', place: '/account/videos', isLive, content });
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const job = await requireJob(visit);
  const isRunning = RUNNING.has(job.status);
  const stop = {
    action: `/account/videos/${job.id}/cancel`,
    token: visit.session.token,
    label: 'Cancel job',
    kind: 'danger',
  } as const;
  const content = html`${job.error !== null && html`<div class="notice bad" role="alert">${job.error.message}</div>`}
${(job.clipSeconds ?? []).length > 0 && job.status === 'completed' && section('Clips', clips(job))}
${section(
  'Job',
  facts([
    ['Id', html`<code>${job.id}</code>`],
    ['Model', job.model],
    ['Endpoint', html`<code>${job.candidates[job.candidate] ?? ''}</code>`],
    ['Attempt', job.attempt > 1 && job.attempt],
    ['Created (UTC)', time(job.createdAt)],
    ['Rendered (UTC)', job.renderedAt !== null && time(job.renderedAt)],
    ['Ended (UTC)', job.endedAt !== null && time(job.endedAt)],
    ['Video', job.usage !== null && `${job.usage.videoSeconds} s`],
    ['Charged', job.usage !== null && usd(job.usage.cost)],
    ['Fault', job.fault !== null && 'of the marketplace: the clip was rendered and could not be kept'],
    ['Generation', generationLink(job.generation)],
  ]),
  isRunning ? buttonForm(stop) : null,
)}`;
  return accountPage(visit, {
    ...{ title: 'Video', place: '/account/videos', isLive: isRunning, content },
    action: badge(job.status),
  });
}

/** Nothing is loaded before somebody plays it: a whole download starts the clock of its removal. */
function clips({ id, clipSeconds }: JobRecord): Html {
  const players = (clipSeconds ?? []).map((seconds, index) => {
    const source = `/account/videos/${id}/content?index=${index}`;
    return html`<figure class="clip"><video controls preload="none" playsinline src="${source}">Your browser plays no MP4.</video>
<figcaption>Clip ${index + 1}, ${seconds} s · <a href="${source}" download>Download</a></figcaption></figure>`;
  });
  return html`<div class="clips">${players}</div>
<p class="hint">A clip stays for 24 hours, and for 10 minutes after it was first downloaded or played to its end.</p>`;
}

async function cancel(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, askMs } = visit.edge.services;
  const job = await requireJob(visit);
  const answer = await cancelVideo(cluster, job, askMs);
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return redirectAnswer(`/account/videos/${job.id}`, visit.site);
}

async function requireJob({ context, edge, session }: PrivateVisit): Promise<JobRecord> {
  const id = paramOf(context, 'id');
  const job = isVideoJobId(id) ? await findVideoJob(edge.services.cluster, session.account, id) : null;
  if (job === null) throw notFound('Your account has no such video job');
  return job;
}
