/** The units that have a price, in the words of the specification's pricing keys. (spec: catalogue, Pricing keys) */
export type PriceKey =
  | 'prompt'
  | 'completion'
  | 'inputCacheRead'
  | 'inputCacheWrite'
  | 'inputCacheWrite1h'
  | 'internalReasoning'
  | 'request'
  | 'image'
  | 'imageOutput'
  | 'imageOutputToken'
  | 'imageMegapixel'
  | 'videoSecond'
  | 'meshOutput'
  | 'audioSecond'
  | 'audioOutput'
  | 'character';

/** USD per unit, exact decimal text; an undeclared one is absent, never 0. */
export type Prices = { readonly [key in PriceKey]?: string };

export type Weekday = 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday';

/** Prices under conditions, all of which must hold; of the entries that match, the last price of a key counts. */
export interface PriceOverride extends Prices {
  /** The prompt is strictly longer than this, in tokens. */
  readonly minPromptTokens?: number;
  /** UTC clock window, HHMM as integers, end exclusive; may wrap midnight. */
  readonly utcStart?: number;
  readonly utcEnd?: number;
  readonly utcDays?: readonly Weekday[];
}

/** What an endpoint charges. */
export interface Tariff extends Prices {
  /** Stable id of these prices: the same prices have the same id. */
  readonly id: string;
  readonly overrides?: readonly PriceOverride[];
  /** Fraction off list, as declared; 0 where none, negative above list. */
  readonly discount: number;
}
