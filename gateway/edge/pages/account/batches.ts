import { cancelBatch, findBatch } from '../../../../actors/batch/batch.ts';
import type { BatchCounts, BatchRecord } from '../../../../actors/batch/batch-record.ts';
import { listBatches } from '../../../../actors/batch/list-batches.ts';
import { isBatchId } from '../../../../actors/terms/ids.ts';
import { notFound } from '../../../terms/not-found.ts';
import { refusalError } from '../../../terms/refusal-error.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import { badge, buttonForm, facts, olderLink, progress, table } from '../parts/elements.ts';
import { countText, shortId, time } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;
const RUNNING: ReadonlySet<string> = new Set(['validating', 'in_progress', 'cancelling']);

/** `/account/batches`: every batch with its progress, its results, and a way to cancel it. */
export const batchPageRoutes: readonly Route[] = [
  ...privatePage('/account/batches', showList),
  ...privatePage('/account/batches/:id', showOne),
  privateForm('/account/batches/:id/cancel', cancel),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const asked = new URLSearchParams(context.query).get('after');
  const { batches, hasMore } = await listBatches(edge.services.cluster, session.account, {
    ...{ statuses: [], createdAfter: null, createdBefore: null, limit: PAGE },
    after: asked !== null && isBatchId(asked) ? asked : null,
  });
  const rows = batches.map((batch) => [
    time(batch.createdAt),
    html`<a href="/account/batches/${batch.id}">${shortId(batch.id)}</a>`,
    batch.endpoint,
    badge(batch.status),
    lines(batch.counts),
  ]);
  const list = table({
    caption: 'Batches, newest first',
    columns: ['Created (UTC)', 'Batch', 'Endpoint', 'Status', 'Lines'],
    rows,
    empty: html`No batch yet. <code>npx troupe batch submit FILE.jsonl</code> or <code>POST /api/v1/batches</code> sends one.`,
  });
  const content = html`${section('Batches', list)}
${olderLink('/account/batches', hasMore ? (batches.at(-1)?.id ?? null) : null)}`;
  const isLive = batches.some(({ status }) => RUNNING.has(status));
  return accountPage(visit, { title: 'Batches', place: '/account/batches', isLive, content });
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const batch = await requireBatch(visit);
  const { token } = visit.session;
  const isRunning = RUNNING.has(batch.status);
  const stop = { action: `/account/batches/${batch.id}/cancel`, token, label: 'Cancel batch', kind: 'danger' } as const;
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
    ['Id', html`<code>${batch.id}</code>`],
    ['Endpoint', batch.endpoint],
    ['Model', batch.model],
    ['Key', html`<a href="/account/keys">${shortId(batch.key)}</a>`],
    ['Created (UTC)', time(batch.createdAt)],
    ['Window ends (UTC)', time(batch.expiresAt)],
    ['Ended (UTC)', batch.finalizedAt !== null && time(batch.finalizedAt)],
    ['Results', batch.resultsFileId !== null && resultsLink(batch.resultsFileId)],
  ]),
)}`;
  return accountPage(visit, {
    ...{ title: 'Batch', place: '/account/batches', isLive: isRunning, content },
    action: badge(batch.status),
  });
}

function resultsLink(file: string): Html {
  return html`<a href="/account/files/${file}/content">Download the results</a> <span class="hint">kept for 48 hours</span>`;
}

async function cancel(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, askMs } = visit.edge.services;
  const { account, id } = await requireBatch(visit);
  const answer = await cancelBatch(cluster, account, id, askMs);
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return redirectAnswer(`/account/batches/${id}`, visit.site);
}

async function requireBatch({ context, edge, session }: PrivateVisit): Promise<BatchRecord> {
  const id = paramOf(context, 'id');
  const batch = isBatchId(id) ? await findBatch(edge.services.cluster, session.account, id) : null;
  if (batch === null) throw notFound('Your account has no such batch');
  return batch;
}

function lines({ total, completed, failed }: BatchCounts): Html {
  const ended = completed + failed;
  const words = `${countText(ended)} of ${countText(total)}${failed > 0 ? `, ${countText(failed)} failed` : ''}`;
  return progress(ended, total, words);
}
