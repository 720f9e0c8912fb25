/** Earnings as a provider reads them: counts as integers, fractional units and amounts as exact decimal text. */
import type { Earning } from '../../../actors/provider/earnings.ts';
import { addUnits, MEDIA_UNITS } from '../../../actors/terms/usage.ts';
import { add } from '../../../actors/terms/usd.ts';

/** Sums over days, endpoints or models. */
export type EarningSum = Omit<Earning, 'day' | 'endpoint' | 'model'>;

const NOTHING: EarningSum = {
  ...{ requests: 0, promptTokens: 0, completionTokens: 0, reasoningTokens: 0 },
  ...{ gross: '0', fee: '0', net: '0' },
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
      ...{ gross: add(sum.gross, one.gross), fee: add(sum.fee, one.fee), net: add(sum.net, one.net) },
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
