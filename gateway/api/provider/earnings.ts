/** Earnings as a provider reads them: counts as integers, fractional units and amounts as exact decimal text. */

import type { Earning } from '../../../actors/provider/earnings.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { addUnits, MEDIA_UNITS } from '../../../actors/terms/usage.ts';
import { add } from '../../../actors/terms/usd.ts';
import { textOf } from '../../edge/query/query-values.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { DAY_MS } from '../../jobs/earnings/earned-day.ts';
import type { Days } from '../../jobs/earnings/provider-earnings.ts';
import { invalid } from '../../terms/gateway-error.ts';
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
      from: dateOf(days.from),
      to: dateOf(days.till - DAY_MS),
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

/** Sums over days, endpoints or models. */
export type EarningSum = Omit<Earning, 'day' | 'endpoint' | 'model'>;

const NOTHING: EarningSum = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  gross: '0',
  fee: '0',
  net: '0',
};

export function sumOf(earnings: readonly EarningSum[]): EarningSum {
  return earnings.reduce((sum, one) => {
    const units = addUnits(sum.units, one.units);
    const unpriced = (sum.unpriced ?? 0) + (one.unpriced ?? 0);
    return {
      requests: sum.requests + one.requests,
      promptTokens: sum.promptTokens + one.promptTokens,
      completionTokens: sum.completionTokens + one.completionTokens,
      reasoningTokens: sum.reasoningTokens + one.reasoningTokens,
      ...(units === undefined ? {} : { units }),
      ...(unpriced === 0 ? {} : { unpriced }),
      gross: add(sum.gross, one.gross),
      fee: add(sum.fee, one.fee),
      net: add(sum.net, one.net),
    };
  }, NOTHING);
}

/** The sums under each name, by name. */
export function sumsBy(
  earnings: readonly Earning[],
  nameOf: (earning: Earning) => string,
): readonly (readonly [string, EarningSum])[] {
  const groups = new Map<string, Earning[]>();
  for (const earning of earnings) {
    const group = groups.get(nameOf(earning));
    if (group) group.push(earning);
    else groups.set(nameOf(earning), [earning]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, group]) => [name, sumOf(group)] as const);
}

export function sumObject(sum: EarningSum): object {
  const units: Record<string, number | string> = {
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
  };
  for (const unit of MEDIA_UNITS) {
    const amount = sum.units?.[unit];
    if (amount !== undefined) units[unitName(unit)] = amount;
  }
  const { requests, unpriced = 0, gross, fee, net } = sum;
  return { requests, unpriced_requests: unpriced, units, gross, fee, net };
}

/** `audio_seconds` for `audioSeconds`. */
export function unitName(unit: (typeof MEDIA_UNITS)[number]): string {
  return unit.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function earningObject(earning: Earning, finalTill: number): object {
  const { day, endpoint, model } = earning;
  const head = { date: dateOf(day), endpoint_id: endpoint, model_id: model, final: day < finalTill };
  return { ...head, ...sumObject(earning) };
}

/** `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
