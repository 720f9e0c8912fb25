import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { PriceKey, Prices } from '../../actors/terms/tariff.ts';
import { chargeOf, compare, type Priced } from '../../actors/terms/usd.ts';
import { decimalText } from './decimal-text.ts';
import type { MediaBounds } from './media-bounds.ts';
import { pricesOf, tierEnds } from './prices.ts';
import { total } from './total.ts';

export interface EstimateTerms {
  /** Store time, ms, of the turn's admission: in which windows its prices are read. */
  readonly at: number;
  readonly promptTokensBound: number;
  readonly completionTokensMax: number;
  /** What may be drawn and spoken at most; null where only text can come. */
  readonly media: MediaBounds | null;
  readonly inputImages: number;
}

/** Each part of a count may be all of it: the dearest price that could apply is held. */
const PROMPT_KEYS: readonly PriceKey[] = ['prompt', 'inputCacheRead', 'inputCacheWrite', 'inputCacheWrite1h'];
const COMPLETION_KEYS: readonly PriceKey[] = ['completion', 'internalReasoning', 'imageOutputToken', 'audioOutput'];
const MICRO_DIGITS = 6;

/**
 * What a turn may cost at most at this endpoint: sizes the hold, exact decimal USD. The prompt counts with its bound,
 * or the endpoint's window where that is smaller; the answer with the ceiling as it is sent. The prompt's tier is that of
 * the bound, or a dearer one below it that the true count may turn out to be in. (spec: inference, Routing rules 9)
 */
export function estimate(endpoint: Endpoint, terms: EstimateTerms): string {
  const { tariff } = endpoint;
  const prompt = promptTokensHeld(endpoint, terms.promptTokensBound);
  if (isPlain(tariff) && terms.media === null && terms.inputImages === 0) {
    return total(tariff, prompt, terms.completionTokensMax);
  }
  let most = '0';
  for (const promptTokens of tierEnds(tariff, prompt)) {
    const cost = worst(pricesOf(tariff, { at: terms.at, promptTokens }), promptTokens, terms);
    if (compare(cost, most) > 0) most = cost;
  }
  return most;
}

/** The prompt as its hold counts it: this is what its tier is read from until, and unless, a count is reported. */
export function promptTokensHeld({ contextLength }: Endpoint, promptTokensBound: number): number {
  return Math.min(promptTokensBound, contextLength);
}

function worst(prices: Prices, promptTokens: number, terms: EstimateTerms): string {
  const priced: Priced[] = [];
  const add = (rate: string | undefined, units: number | string): void => {
    if (rate !== undefined) priced.push({ rate, units });
  };
  add(dearest(prices, PROMPT_KEYS), promptTokens);
  const { media } = terms;
  add(dearest(prices, COMPLETION_KEYS), terms.completionTokensMax + (media?.imageTokens ?? 0));
  add(prices.request, 1);
  add(prices.image, terms.inputImages);
  if (media !== null) {
    add(prices.imageOutput, media.images);
    add(prices.imageMegapixel, decimalText(media.images * media.pixelsPerImage, MICRO_DIGITS));
    add(prices.audioSecond, media.audioSeconds);
  }
  return chargeOf(priced);
}

function dearest(prices: Prices, keys: readonly PriceKey[]): string | undefined {
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
