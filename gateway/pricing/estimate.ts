import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { PriceKey, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { chargeOf, compare, type Priced } from '../../actors/terms/usd.ts';
import type { PromptUnits } from '../terms/plan.ts';
import { decimalText } from './decimal-text.ts';
import type { MediaBounds } from './media-bounds.ts';
import { pricesOf, tierEnds, total } from './prices.ts';
import { COUNTED_UNITS } from './prompt-units.ts';

export interface EstimateTerms {
  /** Store time, ms, of the turn's admission: selects the time windows of its prices. */
  readonly at: number;
  readonly promptTokensHeld: number;
  /** How many of the endpoint's windows the prompt may fill; absent: one. */
  readonly windows?: number;
  readonly completionTokensMax: number;
  /** Most images and speech that the answer may contain; null for an endpoint that produces text only. */
  readonly media: MediaBounds | null;
  readonly inputImages: number;
  /** As measured where the endpoint prices them. */
  readonly promptUnits?: PromptUnits | undefined;
}

/** Any token may be of any of these kinds, so the highest price that could apply is held. */
const PROMPT_KEYS: readonly PriceKey[] = ['prompt', 'inputCacheRead', 'inputCacheWrite', 'inputCacheWrite1h'];
const COMPLETION_KEYS: readonly PriceKey[] = ['completion', 'internalReasoning', 'imageOutputToken', 'audioOutput'];
const MICRO_DIGITS = 6;

/**
 * The maximum cost of a turn at this endpoint: sizes the hold, exact decimal USD. The prompt counts as held, or with
 * the endpoint's window where that is smaller; the answer counts with the ceiling as sent. The tier is that of the
 * prompt as held, or a more expensive lower one that the true count may fall into. (rule K57)
 */
export function estimate(endpoint: Endpoint, terms: EstimateTerms): string {
  const { tariff } = endpoint;
  const prompt = Math.min(terms.promptTokensHeld, endpoint.contextLength * (terms.windows ?? 1));
  if (isPlain(tariff) && terms.media === null && terms.inputImages === 0 && terms.promptUnits === undefined) {
    return total(tariff, prompt, terms.completionTokensMax);
  }
  let most = '0';
  for (const promptTokens of tierEnds(tariff, prompt)) {
    const prices = pricesOf(tariff, { at: terms.at, promptTokens });
    const cost = costAt(prices, promptTokens, terms, tariff.audioSecondOf);
    if (compare(cost, most) > 0) most = cost;
  }
  return most;
}

function costAt(
  prices: Prices,
  promptTokens: number,
  terms: EstimateTerms,
  audioSecondOf: Tariff['audioSecondOf'],
): string {
  const priced: Priced[] = [];
  const add = (rate: string | undefined, units: number | string): void => {
    if (rate !== undefined) priced.push({ rate, units });
  };
  add(highest(prices, PROMPT_KEYS), promptTokens);
  const { media, promptUnits = {} } = terms;
  add(highest(prices, COMPLETION_KEYS), terms.completionTokensMax + (media?.imageTokens ?? 0));
  add(prices.request, 1);
  add(prices.image, terms.inputImages);
  for (const [unit, key] of COUNTED_UNITS) add(prices[key], promptUnits[unit] ?? 0);
  if (audioSecondOf !== 'completion') add(prices.audioSecond, promptUnits.inputAudioSeconds ?? 0);
  if (media !== null) {
    add(prices.imageOutput, media.images);
    add(prices.imageMegapixel, decimalText(media.images * media.pixelsPerImage, MICRO_DIGITS));
    if (audioSecondOf !== 'prompt') add(prices.audioSecond, media.audioSeconds);
  }
  return chargeOf(priced);
}

function highest(prices: Prices, keys: readonly PriceKey[]): string | undefined {
  let most: string | undefined;
  for (const key of keys) {
    const rate = prices[key];
    if (rate !== undefined && (most === undefined || compare(rate, most) > 0)) most = rate;
  }
  return most;
}

function isPlain(tariff: Endpoint['tariff']): boolean {
  return (
    tariff.overrides === undefined &&
    tariff.inputCacheRead === undefined &&
    tariff.inputCacheWrite === undefined &&
    tariff.inputCacheWrite1h === undefined &&
    tariff.internalReasoning === undefined &&
    tariff.imageOutputToken === undefined &&
    tariff.audioOutput === undefined
  );
}
