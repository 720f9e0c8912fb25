import { cancelBatch, findBatch } from '../../../actors/batch/batch.ts';
import {
  BATCH_ACCOUNT,
  BATCH_STATUS,
  BATCH_STATUSES,
  type BatchCounts,
  type BatchRecord,
  statusColumn,
} from '../../../actors/batch/batch-record.ts';
import { LINES_MAX } from '../../../actors/batch/line-record.ts';
import { batchAddress, isBatchId } from '../../../actors/terms/ids.ts';
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
  privateForm,
  privatePage,
} from '../kit/page-route.ts';
import { badge, buttonForm, facts, progress, section } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';
import { idText, time } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { chatBody, emptyList } from './empty-list.ts';
import { namesOf } from './names.ts';

const PATH = '/account/batches';
const RUNNING: ReadonlySet<string> = new Set(['validating', 'in_progress', 'cancelling']);

/** `/account/batches`: every batch with its progress, its results, and a way to cancel it. */
export const batchPageRoutes: readonly PageRoute[] = [
  ...privatePage(PATH, showList),
  ...privatePage(`${PATH}/:id`, showOne),
  privateForm(`${PATH}/:id/cancel`, cancel),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, batchList(visit));
  const { items } = opened.page;
  const names = await namesOf(
    visit,
    items.map(({ key }) => key),
  );
  const content = listSection('Batches', opened, {
    caption: 'Batches',
    columns: ['Batch', 'Created (UTC)', 'Model', 'Key', 'Status', 'Lines'],
    rows: items.map(({ id, createdAt, model, endpoint, key, status, counts }) => [
      html`<a href="${PATH}/${id}" title="${id}">${endpoint}</a>`,
      time(createdAt),
      model ?? 'several',
      names.key(key),
      badge(status),
      lines(counts),
    ]),
    empty: emptyList(visit, html`No batch yet. One runs up to ${countText(LINES_MAX)} requests in the background:`, {
      path: '/batches',
      members: { endpoint: '/v1/chat/completions', requests: [{ custom_id: 'a', body: chatBody(visit) }] },
    }),
  });
  const isLive = items.some(({ status }) => RUNNING.has(status));
  return accountPage(visit, { title: 'Batches', place: PATH, isLive, content });
}

export function batchList({ services, session: { account } }: PrivateVisit): List<BatchRecord> {
  const { rows } = services.cluster;
  const linesOf = ({ counts }: BatchRecord): number => counts.total;
  return {
    path: PATH,
    noun: 'batches',
    rows: { collection: 'batch', where: { column: BATCH_ACCOUNT, equals: account } },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as BatchRecord,
    timeOf: ({ createdAt }) => createdAt,
    ...timedOrder(isBatchId),
    find: async (id) => (isBatchId(id) ? rows.row(batchAddress(account, id), 'batch', id) : null),
    texts: ({ id, model, endpoint }) => [id, model, endpoint],
    filters: [
      {
        name: 'status',
        title: 'Status',
        options: BATCH_STATUSES.map(statusOption),
        matches: ({ status }, value) => status === value,
        where: (value) => ({ column: BATCH_STATUS, equals: statusColumn(account, value) }),
      },
    ],
    sorts: [{ value: 'lines', text: 'Most lines first', compare: (a, b) => linesOf(b) - linesOf(a) }],
  };
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const batch = await requireBatch(visit);
  const { token } = visit.session;
  const names = await namesOf(visit, [batch.key]);
  const isRunning = RUNNING.has(batch.status);
  const stop = { action: `${PATH}/${batch.id}/cancel`, token, label: 'Cancel batch', isDangerous: true } as const;
  const content = html`${batch.error !== null && html`<div class="notice bad" role="alert">${batch.error.message}</div>`}
${section(
  'Progress',
  html`${lines(batch.counts)}
${facts([
  ['Completed', countText(batch.counts.completed)],
  ['Failed', countText(batch.counts.failed)],
  ['Not run', countText(batch.counts.total - batch.counts.completed - batch.counts.failed)],
])}`,
  isRunning && batch.status !== 'cancelling' ? buttonForm(stop) : null,
)}
${section(
  'Batch',
  facts([
    ['Endpoint', batch.endpoint],
    ['Model', batch.model],
    ['Key', names.key(batch.key)],
    ['Created (UTC)', time(batch.createdAt)],
    ['Window ends (UTC)', time(batch.expiresAt)],
    ['Ended (UTC)', batch.finalizedAt !== null && time(batch.finalizedAt)],
    ['Results', batch.resultsFileId !== null && resultsLink(batch.resultsFileId)],
  ]),
)}`;
  return accountPage(visit, {
    title: 'Batch',
    place: PATH,
    what: idText(batch.id),
    isLive: isRunning,
    content,
    action: badge(batch.status),
  });
}

function resultsLink(file: string): Html {
  return html`<a href="/account/files/${file}/content">Download the results</a> <span class="hint">kept for 48 hours</span>`;
}

async function cancel(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, askMs } = visit.services;
  const { account, id } = await requireBatch(visit);
  const answer = await cancelBatch(cluster, account, id, askMs);
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return redirectAnswer(`${PATH}/${id}`, visit.site);
}

async function requireBatch({ context, services, session }: PrivateVisit): Promise<BatchRecord> {
  const id = paramOf(context, 'id');
  const batch = isBatchId(id) ? await findBatch(services.cluster, session.account, id) : null;
  if (batch === null) throw notFound('Your account has no such batch');
  return batch;
}

function lines({ total, completed, failed }: BatchCounts): Html {
  const ended = completed + failed;
  const words = `${countText(ended)} of ${countText(total)}${failed > 0 ? `, ${countText(failed)} failed` : ''}`;
  return progress(ended, total, words);
}
