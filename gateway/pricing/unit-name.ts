import type { PriceKey } from '../../actors/terms/tariff.ts';

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

export const PRICE_KEYS = Object.keys(NAMES) as readonly PriceKey[];

/** The name under which the catalogue publishes the price of a unit. */
export function unitName(key: PriceKey): string {
  return NAMES[key];
}
