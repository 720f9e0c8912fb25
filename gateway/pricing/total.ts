import type { Tariff } from '../../actors/terms/tariff.ts';
import { chargeOf, type Priced } from '../../actors/terms/usd.ts';

/** Exact sum of the declared prices over these units, floored once at 24 decimals. An undeclared price adds nothing. */
export function total(tariff: Tariff, promptTokens: number, completionTokens: number): string {
  const priced: Priced[] = [];
  if (tariff.prompt !== undefined) priced.push({ rate: tariff.prompt, units: promptTokens });
  if (tariff.completion !== undefined) priced.push({ rate: tariff.completion, units: completionTokens });
  if (tariff.request !== undefined) priced.push({ rate: tariff.request, units: 1 });
  return chargeOf(priced);
}
