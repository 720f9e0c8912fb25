import type { PriceKey, Prices, Tariff } from '../../actors/terms/tariff.ts';
import { chargeOf, type Priced } from '../../actors/terms/usd.ts';
import type { MediaUnits, Usage } from '../terms/usage.ts';
import { type Conditions, pricesOf, total, unitName } from './prices.ts';
import { COUNTED_UNITS } from './prompt-units.ts';

interface TurnCharge {
  /** Exact decimal USD, floored once at 24 decimals. */
  readonly cost: string;
  /** Consumed units without a declared price, under the catalogue's names: recorded, and charged nothing. */
  readonly unpriced: readonly string[];
}

interface ChargeTerms extends Conditions {
  /** Media measured from the bytes of the reply, and what the prompt consumes beside tokens. */
  readonly media: MediaUnits;
}

interface ChargedUnits extends Priced {
  readonly key: PriceKey;
}

const NOTHING_UNPRICED: readonly string[] = [];

/**
 * The charge for the consumed units by the tariff of the turn's admission. Every token is charged once: cache reads and
 * writes are parts of the prompt, reasoning and media tokens parts of the completion. Each part has its own price where
 * one is declared, otherwise the price of the whole (rule K77). Media are charged beside tokens (rule K78).
 */
export function charge(tariff: Tariff, billed: Usage, terms: ChargeTerms): TurnCharge {
  const prices = pricesOf(tariff, terms);
  if (isPlain(prices, billed, terms.media)) return plainCharge(prices, billed);
  const bill = billOf(tariff, billed, terms);
  return { cost: chargeOf(bill.priced), unpriced: bill.unpriced };
}

/** The units that a charge is made of, with their prices. */
export function chargedUnits(tariff: Tariff, billed: Usage, terms: ChargeTerms): readonly ChargedUnits[] {
  return billOf(tariff, billed, terms).priced;
}

function billOf(tariff: Tariff, billed: Usage, terms: ChargeTerms): Bill {
  const bill = new Bill(pricesOf(tariff, terms));
  bill.addShared('prompt', billed.promptTokens ?? 0, [
    ['inputCacheRead', billed.cachedTokens],
    ['inputCacheWrite', billed.cacheWriteTokens],
    ['inputCacheWrite1h', billed.cacheWrite1hTokens],
  ]);
  bill.addShared('completion', billed.completionTokens ?? 0, [
    ['internalReasoning', billed.reasoningTokens],
    ['imageOutputToken', billed.imageTokens],
    ['audioOutput', billed.audioTokens],
  ]);
  bill.addDeclared('request', 1);
  bill.addDeclared('image', terms.media.inputImages ?? 0);
  for (const [unit, key] of COUNTED_UNITS) bill.addDeclared(key, terms.media[unit] ?? 0);
  addImages(bill, terms.media);
  addSpeech(bill, terms.media, tariff.audioSecondOf !== 'prompt');
  addInputAudio(bill, terms.media, tariff.audioSecondOf !== 'completion');
  return bill;
}

/** Collects the units and their prices. */
class Bill {
  readonly priced: ChargedUnits[] = [];
  readonly unpriced: string[] = [];
  readonly #prices: Prices;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** Adds units that have a price; returns false and adds nothing where no price is declared or no unit consumed. */
  addDeclared(key: PriceKey, units: number | string): boolean {
    const rate = this.#prices[key];
    if (rate === undefined || units === 0) return false;
    this.priced.push({ key, rate, units });
    return true;
  }

  /** Adds units of which some are parts with a price of their own; the parts never exceed the whole. */
  addShared(whole: PriceKey, tokens: number, parts: readonly (readonly [PriceKey, number | undefined])[]): void {
    let left = tokens;
    for (const [key, counted] of parts) {
      const units = Math.min(counted ?? 0, left);
      if (this.addDeclared(key, units)) left -= units;
    }
    if (left > 0 && !this.addDeclared(whole, left)) this.leave(whole);
  }

  declares(key: PriceKey): boolean {
    return this.#prices[key] !== undefined;
  }

  leave(key: PriceKey): void {
    const name = unitName(key);
    if (!this.unpriced.includes(name)) this.unpriced.push(name);
  }
}

/**
 * Charges images by the piece, by the megapixel or by their tokens, as declared. An unread image has no measured size:
 * its megapixels are unpriced, as they are where no price for images is declared.
 */
function addImages(bill: Bill, { images = 0, megapixels, imagesUnread = 0 }: MediaUnits): void {
  if (images === 0 && imagesUnread === 0) return;
  bill.addDeclared('imageOutput', images);
  if (megapixels !== undefined) bill.addDeclared('imageMegapixel', megapixels);
  const declared = bill.declares('imageMegapixel');
  const otherwise = bill.declares('imageOutput') || bill.declares('imageOutputToken');
  if (declared ? imagesUnread > 0 : !otherwise) bill.leave('imageMegapixel');
}

/** `isPriced`: the price of a second is not that of the prompt's audio alone. */
function addSpeech(bill: Bill, { audioSeconds, audioUnread }: MediaUnits, isPriced: boolean): void {
  if (audioSeconds === undefined && audioUnread !== true) return;
  const charged = isPriced && audioSeconds !== undefined && bill.addDeclared('audioSecond', audioSeconds);
  const declared = isPriced && bill.declares('audioSecond');
  if (!charged && (declared || !bill.declares('audioOutput'))) bill.leave('audioSecond');
}

/**
 * Audio of the prompt is consumed in seconds only where they have a published price; its tokens are part of the prompt
 * everywhere. What is unread, or priced for speech alone, is unpriced.
 */
function addInputAudio(bill: Bill, { inputAudioSeconds, inputAudioUnread }: MediaUnits, isPriced: boolean): void {
  if (!bill.declares('audioSecond')) return;
  if (isPriced && inputAudioSeconds !== undefined) bill.addDeclared('audioSecond', inputAudioSeconds);
  if (inputAudioUnread || (inputAudioSeconds !== undefined && !isPriced)) bill.leave('audioSecond');
}

/** True for the common case: whole prompt, whole completion and the request only. */
function isPlain(prices: Prices, billed: Usage, media: MediaUnits): boolean {
  return (
    (billed.cachedTokens === undefined || prices.inputCacheRead === undefined) &&
    (billed.cacheWriteTokens === undefined || prices.inputCacheWrite === undefined) &&
    (billed.cacheWrite1hTokens === undefined || prices.inputCacheWrite1h === undefined) &&
    (billed.reasoningTokens === undefined || prices.internalReasoning === undefined) &&
    (billed.imageTokens === undefined || prices.imageOutputToken === undefined) &&
    (billed.audioTokens === undefined || prices.audioOutput === undefined) &&
    (media.inputImages === undefined || prices.image === undefined) &&
    COUNTED_UNITS.every(([unit, key]) => media[unit] === undefined || prices[key] === undefined) &&
    media.inputAudioSeconds === undefined &&
    media.inputAudioUnread === undefined &&
    media.images === undefined &&
    media.imagesUnread === undefined &&
    media.audioSeconds === undefined &&
    media.audioUnread === undefined
  );
}

function plainCharge(prices: Prices, { promptTokens = 0, completionTokens = 0 }: Usage): TurnCharge {
  const promptUnpriced = promptTokens > 0 && prices.prompt === undefined;
  const completionUnpriced = completionTokens > 0 && prices.completion === undefined;
  return {
    cost: total(prices, promptTokens, completionTokens),
    unpriced:
      promptUnpriced || completionUnpriced
        ? [...(promptUnpriced ? ['prompt'] : []), ...(completionUnpriced ? ['completion'] : [])]
        : NOTHING_UNPRICED,
  };
}
