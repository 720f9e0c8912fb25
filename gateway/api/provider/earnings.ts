import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { textOf } from '../../edge/query/query-values.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { DAY_MS } from '../../jobs/earnings/earned-day.ts';
import type { Days } from '../../jobs/earnings/provider-earnings.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { dateOf, earningObject, sumObject, sumOf } from './earning-object.ts';
import type { EarningsParts } from './provider-parts.ts';

const USUAL_DAYS = 30;
/** Two months, whole: a statement covers a longer time month by month. */
const DAYS_MAX = 62;

/**
 * `GET /provider/earnings`: what the provider earned, by UTC day and endpoint, from the charges of the generations.
 * `from` and `to` are days, both included; without them the last 30 days. Today's charges are at most seconds behind.
 */
export async function listEarnings(
  { query }: RequestContext,
  provider: ProviderFacts,
  { cluster, earnings: own }: EarningsParts,
): Promise<RouteAnswer> {
  const days = daysOf(new URLSearchParams(query), cluster.now());
  const { earnings, finalTill } = await own.read(provider, days);
  return jsonAnswer(
    JSON.stringify({
      ...{ from: dateOf(days.from), to: dateOf(days.till - DAY_MS) },
      data: earnings.map((earning) => earningObject(earning, finalTill)),
      total: sumObject(sumOf(earnings)),
    }),
  );
}

function daysOf(query: URLSearchParams, now: number): Days {
  const to = dayOf(query, 'to') ?? windowStart('daily', now);
  const from = dayOf(query, 'from') ?? to - (USUAL_DAYS - 1) * DAY_MS;
  const till = to + DAY_MS;
  if (from > to) throw invalid('from must be at most to');
  if (till - from > DAYS_MAX * DAY_MS) throw invalid(`from and to may span at most ${DAYS_MAX} days`);
  return { from, till };
}

function dayOf(query: URLSearchParams, name: string): number | null {
  const text = textOf(query, name);
  if (text === null) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day) || dateOf(day) !== text) throw invalid(`${name} must be a day as YYYY-MM-DD`);
  return day;
}
