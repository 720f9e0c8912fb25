import { shortestDecimal } from '../../json/shortest-decimal.ts';
import { invalid } from '../../terms/invalid.ts';
import type { Preferences } from '../../terms/turn.ts';
import { PRICE_DECIMALS_MAX, type WirePreferences } from './preferences-schema.ts';

type Caps = NonNullable<Preferences['priceMax']>;

/** Binding caps by their wire names; `image` and `audio` are accepted without effect. (rule I34) */
const BINDING = [
  ['prompt', 'prompt'],
  ['completion', 'completion'],
  ['request', 'request'],
  ['image_output', 'imageOutput'],
  ['video_second', 'videoSecond'],
  ['image_megapixel', 'imageMegapixel'],
  ['audio_second', 'audioSecond'],
] as const satisfies readonly (readonly [keyof NonNullable<WirePreferences['max_price']>, keyof Caps])[];

/** The price caps of a request as exact decimal text. */
export function parsePriceCaps(wire: NonNullable<WirePreferences['max_price']>): Caps {
  const caps: { -readonly [key in keyof Caps]: Caps[key] } = {};
  for (const [name, key] of BINDING) {
    const cap = wire[name];
    if (cap != null) caps[key] = typeof cap === 'string' ? cap : capText(cap, name);
  }
  return caps;
}

function capText(cap: number, name: string): string {
  const text = shortestDecimal(cap);
  const point = text.indexOf('.');
  if (point >= 0 && text.length - point - 1 > PRICE_DECIMALS_MAX) {
    throw invalid(`provider.max_price.${name} must have at most ${PRICE_DECIMALS_MAX} decimals`);
  }
  return text;
}
