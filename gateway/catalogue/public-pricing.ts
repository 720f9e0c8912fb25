import type { PriceKey, PriceOverride, Prices, Tariff } from '../../actors/terms/tariff.ts';

/** The published names, in the order of the specification. (spec: catalogue, Pricing keys) */
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
};

/** Charged prices; an undeclared one is absent, `discount` always there. */
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
  for (const [key, name] of Object.entries(NAMES)) {
    const price = prices[key as PriceKey];
    if (price !== undefined) named[name] = price;
  }
  return named;
}
