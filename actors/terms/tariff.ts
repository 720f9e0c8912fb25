/** The priced units, under their published names. (rule C19) */
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
  | 'character'
  | 'search';

/** USD per unit, exact decimal text; an undeclared one is absent, never 0. */
export type Prices = { readonly [key in PriceKey]?: string };

export type Weekday = 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday';

/** Prices under conditions, all of which must hold; among matching entries, the last price of a key applies. */
export interface PriceOverride extends Prices {
  /** The prompt is strictly longer than this, in tokens. */
  readonly minPromptTokens?: number;
  /** UTC clock window, HHMM as integers, end exclusive; may wrap midnight. */
  readonly utcStart?: number;
  readonly utcEnd?: number;
  readonly utcDays?: readonly Weekday[];
}

/** A rate of rendered video under conditions, all of which must hold; among matching entries, the last one applies. */
export interface VideoTier extends Pick<PriceOverride, 'utcStart' | 'utcEnd' | 'utcDays'> {
  /** USD per second, exact decimal text. */
  readonly rate: string;
  /** The request's resolution by this name; a size in pixels has no such name. */
  readonly resolution?: string;
  /** The request's size by this name. */
  readonly size?: string;
  /** The render has a soundtrack, or is silent. */
  readonly audio?: boolean;
  /** Id of an adapter that the request selects. */
  readonly adapter?: string;
}

/** The prices of an endpoint. */
export interface Tariff extends Prices {
  /** Id derived from the prices: equal prices have equal ids. */
  readonly id: string;
  readonly overrides?: readonly PriceOverride[];
  /**
   * Rates per second of rendered video where conditions decide it; entries without a condition come first, entries with
   * a clock window last. `videoSecond` is set only where there is one rate without any condition. Empty: videos are
   * priced by a unit that is not measured.
   */
  readonly videoTiers?: readonly VideoTier[];
  /**
   * What `audioSecond` prices: audio of the prompt, or speech of the answer, where only one of them is declared.
   * Absent: both.
   */
  readonly audioSecondOf?: 'prompt' | 'completion';
  /** Declared fraction off the list price; 0 without a discount, negative above the list price. */
  readonly discount: number;
}
