import type { Prices } from '../../actors/terms/tariff.ts';
import { chargeOf, type Priced } from '../../actors/terms/usd.ts';

/**
 * Exact sum of the declared prices over these units, rounded down once at 24 decimals. An undeclared price adds
 * nothing.
 */
export function total(prices: Prices, promptTokens: number, completionTokens: number): string {
  const priced: Priced[] = [];
  if (prices.prompt !== undefined) priced.push({ rate: prices.prompt, units: promptTokens });
  if (prices.completion !== undefined) priced.push({ rate: prices.completion, units: completionTokens });
  if (prices.request !== undefined) priced.push({ rate: prices.request, units: 1 });
  return chargeOf(priced);
}
