import { isWebhookEventId } from '../../../../actors/terms/ids.ts';
import type { DeliveryRecord } from '../../../../actors/webhook/delivery-record.ts';
import { findSigning, rotateSigning } from '../../../../actors/webhook/signing.ts';
import { listDeliveries } from '../../../../actors/webhook/webhook.ts';
import { signingSecret } from '../../../jobs/webhook/signing-secret.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import { badge, buttonForm, facts, olderLink, table } from '../parts/elements.ts';
import { shortId, time } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;

/** `/account/webhooks`: the signing secret and the deliveries. */
export const webhookPageRoutes: readonly Route[] = [
  ...privatePage('/account/webhooks', showWebhooks),
  privateForm('/account/webhooks/rotate', rotate),
];

async function showWebhooks(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const asked = new URLSearchParams(context.query).get('after');
  const after = asked !== null && isWebhookEventId(asked) ? asked : null;
  const { cluster } = edge.services;
  const page = await listDeliveries(cluster, session.account, { limit: PAGE, after });
  const { deliveries, hasMore } = page ?? { deliveries: [], hasMore: false };
  const content = html`${section('Signing secret', await secret(visit))}
${section('Deliveries', deliveryTable(deliveries))}
${olderLink('/account/webhooks', hasMore ? (deliveries.at(-1)?.id ?? null) : null)}`;
  const isLive = deliveries.some(({ status }) => status === 'delivering' || status === 'waiting');
  return accountPage(visit, { title: 'Webhooks', place: '/account/webhooks', isLive, content });
}

async function secret({ edge, session }: PrivateVisit): Promise<Html> {
  const { cluster, pepper } = edge.services;
  const signing = await findSigning(cluster, session.account);
  const turn = { action: '/account/webhooks/rotate', token: session.token } as const;
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
<details><summary>Show the secret</summary><div class="copied"><input id="secret" readonly value="${signingSecret(pepper, session.account, current)}" aria-label="Signing secret"><button class="second" type="button" data-copy="secret" hidden>Copy</button></div></details>
${buttonForm({ ...turn, label: 'Rotate' })}
<p class="hint">After a rotation both secrets sign for a while, so that receivers can change over.</p>`;
}

function deliveryTable(deliveries: readonly DeliveryRecord[]): Html {
  return table({
    caption: 'Webhook deliveries, newest first',
    columns: ['Created (UTC)', 'Event', 'Type', 'Job', 'Receiver', 'Status', 'Attempts', 'Next (UTC)'],
    rows: deliveries.map(({ createdAt, id, type, job, url, status, attempts, nextAttemptAt }) => [
      ...[time(createdAt), shortId(id), type],
      html`<a href="/account/videos/${job}">${shortId(job)}</a>`,
      ...[html`<code>${url}</code>`, badge(status)],
      attempts.map(({ outcome }) => outcome ?? 'running').join(', '),
      nextAttemptAt === null ? '' : time(nextAttemptAt),
    ]),
    empty: html`No webhook yet: a video job with a <code>callback_url</code> sends the first one.`,
  });
}

async function rotate({ edge, site, session }: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, random, askMs: withinMs, inference } = edge.services;
  const request = Buffer.from(random.bytes(16)).toString('hex');
  const { secretOverlapMs: overlapMs } = inference.config.webhooks;
  await rotateSigning(cluster, session.account, { request, overlapMs, withinMs });
  return redirectAnswer('/account/webhooks', site);
}
