import { showAccount } from '../../../actors/account/account.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { isNegative } from '../../../actors/terms/usd.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { type Html, html } from '../kit/html.ts';
import { firstOf } from '../kit/list/list-view.ts';
import { type PageRoute, type PrivateVisit, privatePage } from '../kit/page-route.ts';
import { figures, section, table } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';
import { usd } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { generationList, generationTable } from './generation-list.ts';
import { readUsage, usageChart } from './usage-of.ts';

const DAYS = 30;
const GENERATIONS = 5;

/** `/account`: money, the last days, the newest requests. */
export const overviewRoutes: readonly PageRoute[] = privatePage('/account', showOverview);

async function showOverview(visit: PrivateVisit): Promise<RouteAnswer> {
  const { services, session } = visit;
  const { cluster, askMs } = services;
  const [view, usage, generations] = await Promise.all([
    showAccount(cluster, accountAddress(session.account), askMs),
    readUsage(services, session.account, DAYS),
    firstOf(visit, generationList(visit), GENERATIONS),
  ]);
  const content = html`${warning(view.available, view.status)}
${figures([
  ['Available', usd(view.available), 'to spend now'],
  ['Held', usd(view.held), `by ${countText(view.holds)} running ${view.holds === 1 ? 'request' : 'requests'}`],
  [`Spent, ${DAYS} days`, usd(usage.total), `${countText(usage.requests)} requests`],
  ['Keys', countText(view.keys), html`<a href="/account/keys">manage</a>`],
])}
${section(
  'Spend per day and model',
  usageChart(usage, ({ model }) => model),
  html`<a href="/account/usage">Usage</a>`,
)}
${section('Newest requests', table(await generationTable(visit, generations)), html`<a href="/account/generations">All</a>`)}`;
  return accountPage(visit, { title: view.name === '' ? 'Overview' : view.name, place: '/account', content });
}

function warning(available: string, status: string): Html | null {
  if (status !== 'open') {
    return html`<div class="notice bad" role="alert">This account is suspended: every request with its keys is refused. Ask your operator.</div>`;
  }
  if (available !== '0' && !isNegative(available)) return null;
  return html`<div class="notice warn" role="alert">Nothing is left to spend: requests are refused with 402 until a deposit. <a href="/account/credits">Add credits</a></div>`;
}
