import type { PriceOverride, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { PRICE_KEYS, unitName } from '../pricing/prices.ts';

/** Charged prices; an undeclared one is absent, `discount` is always present. */
export function publicPricing(tariff: Tariff): Readonly<Record<string, unknown>> {
  const { overrides, discount } = tariff;
  return {
    ...published(tariff),
    ...(overrides === undefined ? {} : { overrides: overrides.map(publicOverride) }),
    discount,
  };
}

function publicOverride(override: PriceOverride): Readonly<Record<string, unknown>> {
  const { minPromptTokens, utcStart, utcEnd, utcDays } = override;
  return {
    ...(minPromptTokens === undefined ? {} : { min_prompt_tokens: minPromptTokens }),
    ...(utcStart === undefined ? {} : { utc_start: utcStart, utc_end: utcEnd }),
    ...(utcDays === undefined ? {} : { utc_days: utcDays }),
    ...published(override),
  };
}

function published(prices: Prices): Readonly<Record<string, string>> {
  const named: Record<string, string> = {};
  for (const key of PRICE_KEYS) {
    const price = prices[key];
    if (price !== undefined) named[unitName(key)] = price;
  }
  return named;
}
