import { isWebhookEventId, webhookAddress } from '../../../actors/terms/ids.ts';
import { DELIVERY_ACCOUNT, DELIVERY_STATUSES, type DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';
import { findSigning, rotateSigning } from '../../../actors/webhook/signing.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { signingSecret } from '../../jobs/webhook/signing-secret.ts';
import { type Html, html } from '../kit/html.ts';
import { statusOption } from '../kit/list/chain-order.ts';
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
import { badge, buttonForm, facts, section, type TableParts } from '../kit/parts/elements.ts';
import { shortId, time } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';

const PATH = '/account/webhooks';

/** `/account/webhooks`: the signing secret and the deliveries. */
export function webhookPageRoutes(secretOverlapMs: number): readonly PageRoute[] {
  return [...privatePage(PATH, showWebhooks), privateForm(`${PATH}/rotate`, (visit) => rotate(visit, secretOverlapMs))];
}

async function showWebhooks(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, deliveryList(visit));
  const { items } = opened.page;
  const content = html`${section('Signing secret', await secret(visit))}
${listSection('Deliveries', opened, deliveryTable(items))}`;
  const isLive = items.some(({ status }) => status === 'delivering' || status === 'waiting');
  return accountPage(visit, { title: 'Webhooks', place: PATH, isLive, content });
}

function deliveryList({ services, session: { account } }: PrivateVisit): List<DeliveryRecord> {
  const { rows } = services.cluster;
  const find: List<DeliveryRecord>['find'] = async (id) =>
    isWebhookEventId(id) ? rows.row(webhookAddress(account, id), 'delivery', id) : null;
  return {
    path: PATH,
    noun: 'deliveries',
    rows: { collection: 'delivery', where: { column: DELIVERY_ACCOUNT, equals: account } },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as DeliveryRecord,
    timeOf: ({ createdAt }) => createdAt,
    nameOf: ({ id }) => id,
    positionOf: async (name) => {
      const row = await find(name);
      return row === null ? null : { sort: row.sort, id: row.id };
    },
    find,
    texts: ({ id, type, job, url }) => [id, type, job, url],
    filters: [
      {
        name: 'status',
        title: 'Status',
        options: DELIVERY_STATUSES.map(statusOption),
        matches: ({ status }, value) => status === value,
      },
    ],
    sorts: [],
  };
}

async function secret({ services, session }: PrivateVisit): Promise<Html> {
  const { cluster, pepper } = services;
  const signing = await findSigning(cluster, session.account);
  const turn = { action: `${PATH}/rotate`, token: session.token } as const;
  if (signing === null) {
    return html`<p>The secret is made with the first video job that names a <code>callback_url</code>, or now.</p>
${buttonForm({ ...turn, label: 'Make a secret' })}`;
  }
  const { current, previous } = signing;
  const overlaps = previous !== null && cluster.now() < previous.validUntil;
  return html`${facts([
    ['Made (UTC)', time(current.mintedAt)],
    ['Previous secret signs until (UTC)', overlaps && time(previous?.validUntil ?? null)],
  ])}
<details><summary>Show the secret</summary><div class="copied"><input id="secret" readonly value="${signingSecret(pepper, session.account, current)}" aria-label="Signing secret"><button type="button" data-copy="secret" hidden>Copy</button></div></details>
${buttonForm({ ...turn, label: 'Rotate' })}
<p class="hint">After a rotation both secrets sign for a while, so that receivers can change over.</p>`;
}

function deliveryTable(deliveries: readonly DeliveryRecord[]): TableParts {
  return {
    caption: 'Webhook deliveries',
    columns: ['Type', 'Created (UTC)', 'Job', 'Receiver', 'Status', 'Attempts', 'Next (UTC)'],
    rows: deliveries.map(({ createdAt, id, type, job, url, status, attempts, nextAttemptAt }) => [
      html`<span title="${id}">${type}</span>`,
      time(createdAt),
      html`<a href="/account/videos/${job}">${shortId(job)}</a>`,
      html`<code>${url}</code>`,
      badge(status),
      attempts.map(({ outcome }) => outcome ?? 'running').join(', '),
      nextAttemptAt === null ? '' : time(nextAttemptAt),
    ]),
    empty: html`No webhook yet: a video job with a <code>callback_url</code> sends the first one.`,
  };
}

async function rotate({ services, site, session }: PrivateFormVisit, overlapMs: number): Promise<RouteAnswer> {
  const { cluster, random, askMs: withinMs } = services;
  const request = Buffer.from(random.bytes(16)).toString('hex');
  await rotateSigning(cluster, session.account, { request, overlapMs, withinMs });
  return redirectAnswer(PATH, site);
}
