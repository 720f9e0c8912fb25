import type { Preferences } from '../../terms/turn.ts';
import type { ChatRequest } from './request-schema.ts';

type Wire = NonNullable<ChatRequest['provider']>;
type MutablePreferences = { -readonly [member in keyof Preferences]: Preferences[member] };

/** Decimals of a price cap that came as a JSON number: more than any published price has. */
const PRICE_DECIMALS = 20;

/**
 * Provider preferences of a checked request. `route` is the older name of `sort.partition`, `store: false` another way
 * to ask for no retention. (conventions 1.1)
 */
export function parsePreferences({ provider: wire, route, store }: ChatRequest): Preferences {
  const preferences: MutablePreferences = { allowFallbacks: wire?.allow_fallbacks ?? true };
  if (route != null) preferences.partition = route === 'sort' ? 'none' : 'model';
  if (store === false) preferences.zeroRetention = 'store';
  if (!wire) return preferences;
  if (wire.zdr === true) preferences.zeroRetention = 'provider.zdr';
  if (wire.data_collection === 'deny') preferences.noCollection = true;
  if (wire.require_parameters === true) preferences.requireParameters = true;
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
  if (partition) preferences.partition = partition;
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
