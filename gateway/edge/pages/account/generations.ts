import { findGeneration } from '../../../../actors/account/account.ts';
import type { RouteDecision } from '../../../../actors/terms/hold.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import { notFound } from '../../../terms/not-found.ts';
import { indentJson, renderExact } from '../../api/exact-json.ts';
import { renderGeneration } from '../../api/generation-record.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateVisit, privatePage } from '../page-route.ts';
import { olderLink, table } from '../parts/elements.ts';
import { accountPage, section } from './account-page.ts';
import { attemptTable, moneyFacts, requestFacts } from './generation-facts.ts';
import { generationTable, newestGenerations, outcomeBadge } from './generation-list.ts';

const PAGE = 25;
/** Longer ids are not looked up. */
const ID_CHARACTERS_MAX = 96;

/** `/account/generations` and the whole story of one of them. */
export const generationRoutes: readonly Route[] = [
  ...privatePage('/account/generations', showList),
  ...privatePage('/account/generations/:id', showOne),
  ...privatePage('/account/generation', find),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const after = new URLSearchParams(context.query).get('after');
  const query = { limit: PAGE, after: after !== null && after.length <= ID_CHARACTERS_MAX ? after : null };
  const { generations, hasMore } = await newestGenerations(edge.services.cluster, session.account, query);
  const last = hasMore ? (generations.at(-1)?.generation ?? null) : null;
  const content = html`${section('Requests', generationTable(generations), search())}
${olderLink('/account/generations', last)}`;
  return accountPage(visit, { title: 'Generations', place: '/account/generations', content });
}

/** Every answer names its generation in the header `X-Generation-Id`. */
function search(): Html {
  return html`<form class="search" method="get" action="/account/generation"><label for="id" class="unseen">Generation id</label><input id="id" name="id" placeholder="gen-…" spellcheck="false" autocomplete="off" required><button class="second small" type="submit">Find</button></form>`;
}

/** What the search form asks for. */
function find({ context, site }: PrivateVisit): RouteAnswer {
  const id = new URLSearchParams(context.query).get('id')?.trim() ?? '';
  return redirectAnswer(`/account/generations/${encodeURIComponent(id)}`, site);
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const id = paramOf(context, 'id');
  const address = accountAddress(session.account);
  const found = id.length > ID_CHARACTERS_MAX ? null : await findGeneration(edge.services.cluster, address, id);
  if (found === null) throw notFound('Your account has no such generation');
  const content = html`${section('Request', requestFacts(found))}
${section('Money', moneyFacts(found))}
${section('Attempts', attemptTable(found))}
${found.route !== undefined && section('Route', routeTables(found.route))}
<details class="card"><summary>The record, as <code>${`GET /api/v1/generation?id=${id}`}</code> answers it</summary>
<pre class="scroll" tabindex="0">${indentJson(renderExact(renderGeneration(id, found)))}</pre></details>`;
  return accountPage(visit, {
    title: found.model,
    place: '/account/generations',
    action: outcomeBadge(found),
    isLive: found.status === 'running',
    content,
  });
}

function routeTables({ candidates, rejections = [], omitted = 0 }: RouteDecision): Html {
  return html`${table({
    caption: 'Candidates in the order in which they are tried',
    columns: [{ number: '#' }, 'Candidate', { number: 'Messages dropped' }],
    rows: candidates.map(({ endpoint, dropped }, at) => [at + 1, html`<code>${endpoint}</code>`, dropped ?? 0]),
    empty: 'No endpoint was a candidate.',
  })}
${
  rejections.length > 0 &&
  table({
    caption: 'Endpoints that could not take the request',
    columns: ['Rejected', 'Reason', 'Member', 'Detail'],
    rows: rejections.map(({ endpoint, reason, member, detail }) => [
      ...[html`<code>${endpoint}</code>`, reason.replaceAll('_', ' '), member ?? '', detail ?? ''],
    ]),
    empty: '',
  })
}
${omitted > 0 && html`<p class="hint">${omitted} more are not recorded.</p>`}`;
}
