import { shortestDecimal } from '../../json/shortest-decimal.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Preferences } from '../../terms/turn.ts';
import { PRICE_DECIMALS_MAX, type WirePreferences } from './preferences-schema.ts';
import { withoutNulls } from './read-members.ts';

interface RequestedPreferences {
  readonly provider?: WirePreferences | null;
  readonly route?: 'fallback' | 'sort' | null;
  readonly store?: boolean | null;
}

type MutablePreferences = { -readonly [member in keyof Preferences]: Preferences[member] };

/**
 * Provider preferences of a checked request. `route` is the older name of `sort.partition`, which takes precedence;
 * `store: false` also asks for zero retention. (rule I21, rule I17)
 */
export function parsePreferences({ provider: wire, route, store }: RequestedPreferences): Preferences {
  const preferences: MutablePreferences = { allowFallbacks: wire?.allow_fallbacks ?? true };
  if (route != null) preferences.partition = route === 'sort' ? 'none' : 'model';
  if (store === false) preferences.zeroRetention = 'store';
  if (!wire) return preferences;
  if (wire.zdr === true) preferences.zeroRetention = 'provider.zdr';
  if (wire.data_collection === 'deny') preferences.noCollection = true;
  if (wire.require_parameters === true) preferences.requireParameters = true;
  if (wire.only) preferences.only = wire.only;
  if (wire.ignore) preferences.ignore = wire.ignore;
  // An empty order sets no order; an empty filter admits no provider.
  if (wire.order && wire.order.length > 0) preferences.order = wire.order;
  if (wire.quantizations) preferences.quantizations = wire.quantizations;
  if (wire.options) preferences.options = optionsOf(wire.options);
  if (wire.max_price) preferences.priceMax = parsePriceCaps(wire.max_price);
  parseSort(wire.sort, preferences);
  return preferences;
}

/** Null counts as absent for a provider's options and for each of them. */
function optionsOf(wire: NonNullable<WirePreferences['options']>): NonNullable<Preferences['options']> {
  const options = Object.entries(withoutNulls(wire)).map(([slug, each]) => [slug, withoutNulls(each)]);
  return Object.fromEntries(options) as NonNullable<Preferences['options']>;
}

function parseSort(sort: WirePreferences['sort'], preferences: MutablePreferences): void {
  if (sort == null) return;
  const by = typeof sort === 'string' ? sort : sort.by;
  if (by) preferences.sort = by;
  const partition = typeof sort === 'string' ? null : sort.partition;
  if (partition) preferences.partition = partition;
}

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
function parsePriceCaps(wire: NonNullable<WirePreferences['max_price']>): Caps {
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
