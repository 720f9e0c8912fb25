import type { PriceKey, PriceOverride, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { chargeOf, type Priced } from '../../actors/terms/usd.ts';
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
 * active window overrides them. Prices already include `discount`, which is informative only. (rule C21)
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

/** The published names, in their published order. (rule C19) */
const NAMES: Readonly<Record<PriceKey, string>> = {
  prompt: 'prompt',
  completion: 'completion',
  inputCacheRead: 'input_cache_read',
  inputCacheWrite: 'input_cache_write',
  inputCacheWrite1h: 'input_cache_write_1h',
  internalReasoning: 'internal_reasoning',
  request: 'request',
  image: 'image',
  imageOutput: 'image_output',
  imageOutputToken: 'image_output_token',
  imageMegapixel: 'image_megapixel',
  videoSecond: 'video_second',
  meshOutput: 'mesh_output',
  audioSecond: 'audio_second',
  audioOutput: 'audio_output',
  character: 'character',
  search: 'search',
};

export const PRICE_KEYS = Object.keys(NAMES) as readonly PriceKey[];

/** The name under which the catalogue publishes the price of a unit. */
export function unitName(key: PriceKey): string {
  return NAMES[key];
}

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
