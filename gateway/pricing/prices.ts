import type { PriceOverride, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { isOpen, isTimed } from './is-open.ts';

/** Under what conditional prices are read. */
export interface Conditions {
  /** Store time, ms, at which the turn was admitted: its window stays, however long the answer takes. */
  readonly at: number;
  /** Length of the prompt by which its tier is read. */
  readonly promptTokens: number;
}

/**
 * The prices that count under these conditions: the tariff's own, then every override whose conditions all hold, the last
 * price of a key winning. Entries with a time window come after the others whatever their place in the document, so that
 * an active window wins. Prices are those charged; `discount` tells only how they came about. (spec: catalogue,
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
  // Strictly longer: a prompt of exactly that many tokens is still in the tier below.
  if (entry.minPromptTokens !== undefined && promptTokens <= entry.minPromptTokens) return false;
  return !isTimed(entry) || isOpen(entry, at);
}

/** Lengths up to which one tier each reaches, within a prompt of at most so many tokens; the last is that length. */
export function tierEnds(tariff: Tariff, promptTokensMax: number): readonly number[] {
  const ends = new Set<number>();
  for (const { minPromptTokens } of tariff.overrides ?? []) {
    if (minPromptTokens !== undefined && minPromptTokens < promptTokensMax) ends.add(Math.floor(minPromptTokens));
  }
  return [...ends, promptTokensMax];
}

/** The length up to which the prices of a prompt of so many tokens hold, as far as its length decides. */
export function tierEnd({ overrides }: Tariff, promptTokens: number): number {
  let end = Number.POSITIVE_INFINITY;
  for (const { minPromptTokens } of overrides ?? []) {
    if (minPromptTokens !== undefined && minPromptTokens >= promptTokens) end = Math.min(end, minPromptTokens);
  }
  return end;
}
