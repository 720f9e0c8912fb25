import type { PriceOverride, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { isOpen, isTimed } from './is-open.ts';

/** The conditions under which prices are read. */
export interface Conditions {
  /** Store time, ms, of the turn's admission: its price window stays, however long the answer takes. */
  readonly at: number;
  /** Length of the prompt that decides its tier. */
  readonly promptTokens: number;
}

/**
 * The prices under these conditions: the tariff's own, then every override whose conditions all hold; the last price of
 * a key applies. Entries with a time window come after the others, whatever their position in the document, so that an
 * active window overrides them. Prices already include `discount`, which is informative only. (spec: catalogue,
 * Conditional prices)
 */
export function pricesOf(tariff: Tariff, conditions: Conditions): Prices {
  const { overrides } = tariff;
  if (overrides === undefined || overrides.length === 0) return tariff;
  const matching = overrides.filter((entry) => matches(entry, conditions));
  if (matching.length === 0) return tariff;
  const always = matching.filter((entry) => !isTimed(entry));
  return Object.assign({}, tariff, ...always, ...matching.filter(isTimed)) as Prices;
}

function matches(entry: PriceOverride, { at, promptTokens }: Conditions): boolean {
  // Strictly longer: a prompt of exactly that many tokens is still in the lower tier.
  if (entry.minPromptTokens !== undefined && promptTokens <= entry.minPromptTokens) return false;
  return !isTimed(entry) || isOpen(entry, at);
}

/** The ends of the price tiers below this prompt length, then the length itself. */
export function tierEnds(tariff: Tariff, promptTokensMax: number): readonly number[] {
  const ends = new Set<number>();
  for (const { minPromptTokens } of tariff.overrides ?? []) {
    if (minPromptTokens !== undefined && minPromptTokens < promptTokensMax) ends.add(Math.floor(minPromptTokens));
  }
  return [...ends, promptTokensMax];
}
