import { findGeneration } from '../../../../actors/account/account.ts';
import type { AttemptRecord, Generation, RouteDecision } from '../../../../actors/terms/hold.ts';
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
import { facts, olderLink, table } from '../parts/elements.ts';
import { countText, durationText, shortId, time, usd } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';
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
${section('Attempts', attemptTable(found.settlement?.attempts ?? found.release?.attempts ?? []))}
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

function requestFacts(generation: Generation): Html {
  const { settlement, release } = generation;
  const total = settlement?.generationMs ?? release?.totalMs ?? null;
  const first = settlement?.latencyMs ?? null;
  return facts([
    ['Generation', html`<code>${generation.generation}</code>`],
    ['Created (UTC)', time(generation.createdAt)],
    ['Provider', generation.provider],
    ['Endpoint', html`<code>${generation.endpoint}</code>`],
    ['Key', html`<a href="/account/keys">${shortId(generation.key)}</a>`],
    ['Answered as', generation.streamed ? 'a stream' : 'a whole reply'],
    ['First part after', first !== null && durationText(first)],
    ['Whole request', total !== null && durationText(total)],
    ['Finished because', settlement?.finishReason],
    [
      'Not charged because',
      release !== null && `${release.reason}${release.status === null ? '' : ` (${release.status})`}`,
    ],
    ['Left early', settlement?.cancelled === true && 'the client disconnected before the end'],
    ['Application', generation.appTitle ?? generation.appUrl],
    ['Conversation', generation.sessionId !== null && html`<code>${generation.sessionId}</code>`],
    ['Unread members', (generation.unread ?? []).length > 0 && generation.unread?.join(', ')],
  ]);
}

function moneyFacts({ settlement, amount, overshoot, tariff, moves = [], status }: Generation): Html {
  const units = settlement?.unpriced ?? [];
  return facts([
    [
      'Held',
      html`${usd(amount)}${moves.length > 0 && html` <span class="hint">after ${moves.length} earlier ${moves.length === 1 ? 'hold' : 'holds'}</span>`}`,
    ],
    ['Charged', settlement === null ? (status === 'running' ? 'when it ends' : usd('0')) : usd(settlement.cost)],
    ['Above the hold', overshoot !== null && usd(overshoot)],
    ['Tokens', settlement !== null && tokens(settlement)],
    ['Counted by', settlement?.estimated === true && 'Troupe: the provider reported no usage'],
    ['Without a price', units.length > 0 && units.join(', ')],
    ['Tariff', html`<code>${tariff}</code>`],
  ]);
}

function tokens({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
}: NonNullable<Generation['settlement']>): string {
  const parts = [`${countOf(promptTokens)} prompt`, `${countOf(completionTokens)} completion`];
  if (cachedTokens !== null && cachedTokens > 0) parts.push(`${countText(cachedTokens)} cached`);
  if (reasoningTokens !== null && reasoningTokens > 0) parts.push(`${countText(reasoningTokens)} reasoning`);
  return parts.join(', ');
}

function countOf(count: number | null): string {
  return count === null ? 'unknown' : countText(count);
}

function attemptTable(attempts: readonly AttemptRecord[]): Html {
  return table({
    caption: 'Attempts in order',
    columns: [
      { number: '#' },
      'Provider',
      'Endpoint',
      'Outcome',
      'Reason',
      { number: 'Status' },
      { number: 'First part' },
    ],
    rows: attempts.map(({ provider, endpoint, outcome, reason, status, latencyMs }, at) => [
      ...[at + 1, provider, html`<code>${endpoint}</code>`, outcome, reason ?? '', status ?? '–'],
      latencyMs === null ? '–' : durationText(latencyMs),
    ]),
    empty: 'No provider has been called yet.',
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
