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

/**
 * A JSON number as the decimal text most likely written by the client: the shortest digits that parse to this number,
 * without an exponent. 1.1 gives `1.1`, not the stored 1.10000000000000008882. Finite and not negative.
 */
export function shortestDecimal(number: number): string {
  const shortest = String(number);
  const e = shortest.indexOf('e');
  if (e < 0) return shortest;
  const [whole = '', fraction = ''] = shortest.slice(0, e).split('.');
  const point = whole.length + Number.parseInt(shortest.slice(e + 1), 10);
  const digits = whole + fraction;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
