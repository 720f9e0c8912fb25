import { add, compare } from '../../../../actors/terms/usd.ts';
import type { ActivitySum } from '../../api/money/activity.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { type Html, html } from '../html.ts';
import { type PrivateVisit, privatePage } from '../page-route.ts';
import { figures, table } from '../parts/elements.ts';
import { countText, usd, usdCell } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';
import { dateOf, readUsage, type UsageOfDays, usageChart } from './usage-of.ts';

const SPANS = [7, 30, 90] as const;
const USUAL = 30;

/** `/account/usage`: what was charged, per day and per model. */
export const usageRoutes: readonly Route[] = privatePage('/account/usage', showUsage);

async function showUsage(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const asked = new URLSearchParams(context.query).get('days');
  const days = SPANS.find((span) => String(span) === asked) ?? USUAL;
  const usage = await readUsage(edge.services.cluster, session.account, days);
  const tokens = usage.rows.reduce((sum, row) => sum + row.promptTokens + row.completionTokens, 0);
  const content = html`${figures([
    ['Charged', usd(usage.total)],
    ['Requests', countText(usage.requests)],
    ['Tokens', countText(tokens)],
  ])}
${section('Per day', usageChart(usage))}
${section('Per model', modelTable(usage))}
${section('Activity', activityTable(usage))}`;
  return accountPage(visit, { title: 'Usage', place: '/account/usage', action: spans(days), content });
}

function spans(current: number): Html {
  const links = SPANS.map((span) => {
    const path = `/account/usage?days=${span}`;
    return span === current
      ? html`<li><a href="${path}" aria-current="true">${span} days</a></li>`
      : html`<li><a href="${path}">${span} days</a></li>`;
  });
  return html`<nav class="choices" aria-label="Time"><ul>${links}</ul></nav>`;
}

function modelTable({ rows }: UsageOfDays): Html {
  const byModel = new Map<string, ActivitySum>();
  for (const row of rows) {
    const sum = byModel.get(row.model);
    byModel.set(row.model, sum === undefined ? row : joined(sum, row));
  }
  const dearest = [...byModel.values()].sort((a, b) => compare(b.usage, a.usage) || (a.model < b.model ? -1 : 1));
  return table({
    caption: 'Charges per model',
    columns: ['Model', { number: 'Requests' }, { number: 'Prompt' }, { number: 'Completion' }, { number: 'USD' }],
    rows: dearest.map((row) => [row.model, ...counts(row)]),
    empty: 'Nothing was charged in this time.',
  });
}

/** Rows that a page shows; the whole is at `GET /activity`. */
const ROWS_MAX = 200;

function activityTable({ rows }: UsageOfDays): Html {
  const shown = rows.slice(0, ROWS_MAX);
  const list = table({
    caption: 'Charges per day, model and provider',
    columns: [
      ...['Day', 'Model', 'Provider'],
      ...[{ number: 'Requests' }, { number: 'Prompt' }, { number: 'Completion' }, { number: 'USD' }],
    ],
    rows: shown.map((row) => [dateOf(row.day), row.model, row.provider, ...counts(row)]),
    empty: 'Nothing was charged in this time.',
  });
  if (rows.length <= ROWS_MAX) return list;
  return html`${list}<p class="hint">The newest ${ROWS_MAX} of ${countText(rows.length)} rows. <code>GET /api/v1/activity</code> has all of them.</p>`;
}

function counts({ requests, promptTokens, completionTokens, usage }: ActivitySum): readonly (string | Html)[] {
  return [countText(requests), countText(promptTokens), countText(completionTokens), usdCell(usage)];
}

function joined(sum: ActivitySum, row: ActivitySum): ActivitySum {
  return {
    ...sum,
    requests: sum.requests + row.requests,
    promptTokens: sum.promptTokens + row.promptTokens,
    completionTokens: sum.completionTokens + row.completionTokens,
    usage: add(sum.usage, row.usage),
  };
}
