import type { Preferences } from '../../terms/turn.ts';
import type { ChatRequest } from './request-schema.ts';

type Wire = NonNullable<ChatRequest['provider']>;
type MutablePreferences = { -readonly [member in keyof Preferences]: Preferences[member] };

/** Decimals of a price cap that came as a JSON number: more than any published price has. */
const PRICE_DECIMALS = 20;

/**
 * Provider preferences of a checked request. Members that only a vetted endpoint satisfies (`zdr`, `data_collection`)
 * are the caller's of this function to collect; `route` is the older name of `sort.partition`. (conventions 1.1)
 */
export function parsePreferences(wire: Wire | null | undefined, route: 'fallback' | 'sort' | null): Preferences {
  const preferences: MutablePreferences = { allowFallbacks: wire?.allow_fallbacks ?? true };
  if (route === 'sort') preferences.acrossModels = true;
  if (!wire) return preferences;
  if (wire.only) preferences.only = wire.only;
  if (wire.ignore) preferences.ignore = wire.ignore;
  if (wire.order) preferences.order = wire.order;
  if (wire.quantizations) preferences.quantizations = wire.quantizations;
  if (wire.options) preferences.options = wire.options;
  if (wire.max_price) preferences.priceMax = parseCaps(wire.max_price);
  parseSort(wire.sort, preferences);
  return preferences;
}

function parseSort(sort: Wire['sort'], preferences: MutablePreferences): void {
  if (sort == null) return;
  const by = typeof sort === 'string' ? sort : sort.by;
  if (by) preferences.sort = by;
  const partition = typeof sort === 'string' ? null : sort.partition;
  if (partition === 'none') preferences.acrossModels = true;
  else if (partition === 'model') delete preferences.acrossModels;
}

function parseCaps(caps: NonNullable<Wire['max_price']>): NonNullable<Preferences['priceMax']> {
  return {
    ...(caps.prompt == null ? {} : { prompt: decimal(caps.prompt) }),
    ...(caps.completion == null ? {} : { completion: decimal(caps.completion) }),
    ...(caps.request == null ? {} : { request: decimal(caps.request) }),
  };
}

function decimal(cap: string | number): string {
  return typeof cap === 'string' ? cap : cap.toFixed(PRICE_DECIMALS);
}
