import { isVideoJobId, videoJobAddress } from '../../../actors/terms/ids.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { JOB_ACCOUNT, type JobRecord, VIDEO_STATUSES } from '../../../actors/video-job/job-record.ts';
import { cancelVideo, findVideoJob } from '../../../actors/video-job/video-job.ts';
import { sendClip } from '../../edge/downloads/clip-content.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { paramOf } from '../../edge/request-context.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { notFound, refusalError } from '../../terms/gateway-error.ts';
import { type Html, html } from '../kit/html.ts';
import { statusOption, timedOrder } from '../kit/list/chain-order.ts';
import type { List } from '../kit/list/list.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { redirectAnswer } from '../kit/page-answer.ts';
import {
  type PageRoute,
  type PrivateFormVisit,
  type PrivateVisit,
  privateContent,
  privateForm,
  privatePage,
} from '../kit/page-route.ts';
import { badge, buttonForm, facts, section } from '../kit/parts/elements.ts';
import { generationLink, idText, time, usd, usdCell } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { emptyList, videoModel } from './empty-list.ts';
import { namesOf } from './names.ts';

const PATH = '/account/videos';
const RUNNING: ReadonlySet<string> = new Set(['pending', 'in_progress']);

/** `/account/videos`: every video job, and its clips to play. */
export function videoPageRoutes(downloads: Downloading): readonly PageRoute[] {
  return [
    ...privatePage(PATH, showList),
    ...privatePage(`${PATH}/:id`, showOne),
    ...privateContent(`${PATH}/:id/content`, async (visit) =>
      sendClip(visit.context, downloads, await requireJob(visit)),
    ),
    privateForm(`${PATH}/:id/cancel`, cancel),
  ];
}

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, videoList(visit));
  const { items } = opened.page;
  const names = await namesOf(
    visit,
    items.map(({ key }) => key),
  );
  const content = listSection('Video jobs', opened, {
    caption: 'Video jobs',
    columns: ['Model', 'Created (UTC)', 'Key', 'Status', { number: 'Seconds' }, { number: 'USD' }],
    rows: items.map(({ id, model, createdAt, key, status, usage }) => [
      html`<a href="${PATH}/${id}" title="${id}">${model}</a>`,
      time(createdAt),
      names.key(key),
      badge(status),
      usage?.videoSeconds ?? '–',
      usage === null ? '–' : usdCell(usage.cost),
    ]),
    empty: emptyList(visit, html`No video yet. A job renders one in the background, and its clip is played here:`, {
      path: '/videos',
      members: { model: videoModel(visit), prompt: 'A river in the morning' },
    }),
  });
  const isLive = items.some(({ status }) => RUNNING.has(status));
  return accountPage(visit, { title: 'Videos', place: PATH, isLive, content });
}

export function videoList({ services, session: { account } }: PrivateVisit): List<JobRecord> {
  const { rows } = services.cluster;
  const costOf = ({ usage }: JobRecord): string => usage?.cost ?? '0';
  const secondsOf = ({ usage }: JobRecord): string => usage?.videoSeconds ?? '0';
  return {
    path: PATH,
    noun: 'video jobs',
    rows: { collection: 'job', where: { column: JOB_ACCOUNT, equals: account } },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as JobRecord,
    timeOf: ({ createdAt }) => createdAt,
    ...timedOrder(isVideoJobId),
    find: async (id) => (isVideoJobId(id) ? rows.row(videoJobAddress(account, id), 'job', id) : null),
    texts: ({ id, model, generation, error }) => [id, model, generation, error?.message],
    filters: [
      {
        name: 'status',
        title: 'Status',
        options: VIDEO_STATUSES.map(statusOption),
        matches: ({ status }, value) => status === value,
      },
    ],
    sorts: [
      { value: 'cost', text: 'Dearest first', compare: (a, b) => compare(costOf(b), costOf(a)) },
      { value: 'seconds', text: 'Longest first', compare: (a, b) => compare(secondsOf(b), secondsOf(a)) },
    ],
  };
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const job = await requireJob(visit);
  const names = await namesOf(visit, [job.key]);
  const isRunning = RUNNING.has(job.status);
  const stop = {
    action: `${PATH}/${job.id}/cancel`,
    token: visit.session.token,
    label: 'Cancel job',
    isDangerous: true,
  } as const;
  const content = html`${job.error !== null && html`<div class="notice bad" role="alert">${job.error.message}</div>`}
${(job.clipSeconds ?? []).length > 0 && job.status === 'completed' && section('Clips', clips(job))}
${section(
  'Job',
  facts([
    ['Model', job.model],
    ['Key', names.key(job.key)],
    ['Endpoint', html`<code>${job.candidates[job.candidate] ?? ''}</code>`],
    ['Attempt', job.run > 1 && job.run],
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
    title: 'Video',
    place: PATH,
    what: idText(job.id),
    isLive: isRunning,
    content,
    action: badge(job.status),
  });
}

/** Nothing is loaded before somebody plays it: a whole download starts the clock of its removal. */
function clips({ id, clipSeconds }: JobRecord): Html {
  const players = (clipSeconds ?? []).map((seconds, index) => {
    const source = `${PATH}/${id}/content?index=${index}`;
    return html`<figure class="clip"><video controls preload="none" playsinline src="${source}">Your browser plays no MP4.</video>
<figcaption>Clip ${index + 1}, ${seconds} s · <a href="${source}" download>Download</a></figcaption></figure>`;
  });
  return html`<div class="clips">${players}</div>
<p class="hint">A clip stays for 24 hours, and for 10 minutes after it was first downloaded or played to its end.</p>`;
}

async function cancel(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, askMs } = visit.services;
  const job = await requireJob(visit);
  const answer = await cancelVideo(cluster, job, askMs);
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return redirectAnswer(`${PATH}/${job.id}`, visit.site);
}

async function requireJob({ context, services, session }: PrivateVisit): Promise<JobRecord> {
  const id = paramOf(context, 'id');
  const job = isVideoJobId(id) ? await findVideoJob(services.cluster, session.account, id) : null;
  if (job === null) throw notFound('Your account has no such video job');
  return job;
}
