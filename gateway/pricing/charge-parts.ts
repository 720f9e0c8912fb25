/** What a charge was made of: each unit with its price and its amount, as `charge` sums them. */
import type { Settlement } from '../../actors/terms/hold.ts';
import type { Tariff } from '../../actors/terms/tariff.ts';
import { chargeOf } from '../../actors/terms/usd.ts';
import type { Usage } from '../terms/usage.ts';
import { chargedUnits } from './charge.ts';
import { unitName } from './prices.ts';

interface ChargePart {
  readonly name: string;
  readonly quantity: string;
  /** USD per unit, exact decimal; null: the tariff of that time is no longer known. */
  readonly price: string | null;
  readonly amount: string | null;
}

/** By the tariff of the charge. `at`: store time of the admission, for prices that depend on the hour. */
export function chargeParts(tariff: Tariff, settlement: Settlement, at: number): readonly ChargePart[] {
  const conditions = settlement.conditions ?? { at, promptTokens: settlement.promptTokens ?? 0 };
  const units = chargedUnits(tariff, usageOf(settlement), { ...conditions, media: settlement.media ?? {} });
  return units.map(({ key, rate, units: quantity }) => ({
    name: unitName(key),
    quantity: String(quantity),
    price: rate,
    amount: chargeOf([{ rate, units: quantity }]),
  }));
}

function usageOf(settlement: Settlement): Usage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = settlement;
  const { cacheWriteTokens, cacheWrite1hTokens, imageTokens, audioTokens } = settlement;
  const counted = Object.entries({
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens,
    cacheWriteTokens,
    cacheWrite1hTokens,
    imageTokens,
    audioTokens,
  });
  return Object.fromEntries(counted.filter(([, count]) => count !== null && count !== undefined));
}

/** Without prices: what was consumed. */
export function consumedParts({ promptTokens, completionTokens, media = {} }: Settlement): readonly ChargePart[] {
  const counts = { prompt: promptTokens, completion: completionTokens, ...media };
  return Object.entries(counts)
    .filter(([, quantity]) => quantity !== null && quantity !== undefined)
    .map(([name, quantity]) => ({ name, quantity: String(quantity), price: null, amount: null }));
}
