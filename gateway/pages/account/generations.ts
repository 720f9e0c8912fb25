import type { RouteDecision } from '../../../actors/terms/hold.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { paramOf } from '../../edge/request-context.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { indentJson, renderExact } from '../../json/exact-json.ts';
import { renderGeneration } from '../../management/generation-record.ts';
import { requireGeneration } from '../../management/generations.ts';
import { type Html, html } from '../kit/html.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { type PageRoute, type PrivateVisit, privatePage } from '../kit/page-route.ts';
import { section, table } from '../kit/parts/elements.ts';
import { idText } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { attemptTable, moneyFacts, requestFacts } from './generation-facts.ts';
import { generationList, generationTable, outcomeBadge } from './generation-list.ts';
import { endpointText, keyOptions, namesOf, tariffText } from './names.ts';

const PATH = '/account/generations';

/** `/account/generations` and the whole story of one of them. */
export const generationRoutes: readonly PageRoute[] = [
  ...privatePage(PATH, showList),
  ...privatePage(`${PATH}/:id`, showOne),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, generationList(visit, await keyOptions(visit)));
  const content = listSection('Requests', opened, await generationTable(visit, opened.page.items));
  return accountPage(visit, { title: 'Generations', place: PATH, content });
}

async function showOne(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, services, session } = visit;
  const id = paramOf(context, 'id');
  const { generation: found } = await requireGeneration(services, accountAddress(session.account), id);
  const content = html`<div class="columns">
${section('Request', requestFacts(visit, found, await namesOf(visit, [found.key])))}
${section('Money', moneyFacts(found, tariffText(visit, found.endpoint, found.tariff)))}
</div>
${section(
  'Attempts',
  attemptTable(found, (id, provider) => endpointText(visit, id, provider)),
)}
${found.route !== undefined && section('Route', routeTables(found.route))}
<details class="panel"><summary>The record, as <code>${`GET /api/v1/generation?id=${id}`}</code> answers it</summary>
<pre class="scroll" tabindex="0">${indentJson(renderExact(renderGeneration(id, found)))}</pre></details>`;
  return accountPage(visit, {
    title: found.model,
    place: PATH,
    what: idText(id),
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
      html`<code>${endpoint}</code>`,
      reason.replaceAll('_', ' '),
      member ?? '',
      detail ?? '',
    ]),
    empty: '',
  })
}
${omitted > 0 && html`<p class="hint">${omitted} more are not recorded.</p>`}`;
}
