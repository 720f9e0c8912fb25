import type { Earning } from '../../../actors/provider/earnings.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { type Month, monthOf, parseMonth } from '../../../actors/terms/month.ts';
import { MEDIA_UNITS } from '../../../actors/terms/usage.ts';
import { textOf } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import type { EarnedDays } from '../../jobs/earnings/provider-earnings.ts';
import { csv } from '../../terms/csv.ts';
import { invalid, notFound } from '../../terms/gateway-error.ts';
import { dateOf, type EarningSum, earningObject, sumObject, sumOf, sumsBy, unitName } from './earnings.ts';
import type { EarningsParts } from './provider-parts.ts';

const FORMATS = ['json', 'csv'] as const;
/** Ten years. */
const MONTHS_MAX = 120;

/** `GET /provider/statements`: the months with earnings, newest first; the running one is among them. */
export async function listProviderStatements(provider: ProviderFacts, parts: EarningsParts): Promise<RouteAnswer> {
  const months = await monthsOf(parts, provider);
  const now = parts.cluster.now();
  const data = months.map(({ name, till }) => ({ object: 'provider_statement', month: name, ended: till <= now }));
  return jsonAnswer(JSON.stringify({ object: 'list', data }));
}

/**
 * `GET /provider/statements/{month}`: the month's earnings in total, by model, by endpoint and by day; as CSV with
 * `format=csv`. `final` once every day is folded: the statement never changes from then on.
 */
export async function showProviderStatement(
  context: RequestContext,
  provider: ProviderFacts,
  parts: EarningsParts,
): Promise<RouteAnswer> {
  const month = parseMonth(paramOf(context, 'month'));
  if (month === null) throw invalid('month must be YYYY-MM');
  const format = textOf(new URLSearchParams(context.query), 'format') ?? 'json';
  if (!FORMATS.some((one) => one === format)) throw invalid(`format must be one of ${FORMATS.join(', ')}`);
  const months = await monthsOf(parts, provider);
  if (!months.some(({ name }) => name === month.name)) throw notFound('The provider has no statement for this month');
  const earned = await parts.earnings.read(provider, month);
  if (format === 'json') return jsonAnswer(JSON.stringify({ data: statementObject(provider, month, earned) }));
  return {
    type: 'text/csv; charset=utf-8',
    body: csv(statementLines(earned.earnings)),
    headers: ['content-disposition', `attachment; filename="${provider.slug}-${month.name}.csv"`],
  };
}

async function monthsOf({ earnings, cluster }: EarningsParts, provider: ProviderFacts): Promise<Month[]> {
  const now = cluster.now();
  const first = (await earnings.firstDay(provider)) ?? now;
  const months: Month[] = [];
  for (let month = monthOf(now); month.till > first && months.length < MONTHS_MAX; month = monthOf(month.from - 1)) {
    months.push(month);
  }
  return months;
}

function statementObject({ id, slug, name }: ProviderFacts, month: Month, { earnings, finalTill }: EarnedDays): object {
  const named = (member: string, nameOf: (earning: Earning) => string): object[] =>
    sumsBy(earnings, nameOf).map(([value, sum]) => ({ [member]: value, ...sumObject(sum) }));
  return {
    object: 'provider_statement',
    month: month.name,
    final: month.till <= finalTill,
    provider: { id, slug, name },
    currency: 'USD',
    total: sumObject(sumOf(earnings)),
    by_model: named('model_id', ({ model }) => model),
    by_endpoint: named('endpoint_id', ({ endpoint }) => endpoint),
    days: earnings.map((earning) => earningObject(earning, finalTill)),
  };
}

const HEAD = [
  'date',
  'endpoint_id',
  'model_id',
  'requests',
  'unpriced_requests',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  ...MEDIA_UNITS.map(unitName),
  'gross_usd',
  'fee_usd',
  'net_usd',
];

/** Lines of cells: a head, one per day and endpoint, and the total. */
export function statementLines(earnings: readonly Earning[]): readonly (readonly string[])[] {
  const lines = earnings.map((one) => [dateOf(one.day), one.endpoint, one.model, ...cellsOf(one)]);
  return [HEAD, ...lines, ['total', '', '', ...cellsOf(sumOf(earnings))]];
}

function cellsOf(sum: EarningSum): readonly string[] {
  const counts = [sum.requests, sum.unpriced ?? 0, sum.promptTokens, sum.completionTokens, sum.reasoningTokens];
  return [...counts.map(String), ...MEDIA_UNITS.map((unit) => sum.units?.[unit] ?? ''), sum.gross, sum.fee, sum.net];
}
