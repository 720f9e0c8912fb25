import type { Json } from '../../actors/runtime/index.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';
import type { Tariff } from '../../actors/terms/tariff.ts';
import { isZero } from '../../actors/terms/usd.ts';
import { declarations } from './declarations.ts';

/** An offer with what every request would otherwise work out again. */
export interface Listed {
  readonly offer: EndpointOffer;
  readonly declares: ReadonlySet<string>;
  /** Prompt and completion are declared, and nothing that is declared costs anything. */
  readonly free: boolean;
  /** Prices as numbers, infinite where undeclared: for weights and first comparisons only, never for money. */
  readonly promptPrice: number;
  readonly price: number;
  /** 0 healthy or not yet known, 1 degraded, 2 down: what was never found wanting gets traffic, or it is never known. */
  readonly tier: 0 | 1 | 2;
  /** Percent of the last half hour, else of the day; what was never measured counts as perfect, so that a new endpoint gets traffic. */
  readonly uptime: number;
  /** 0 reports free slots, 1 reports nothing, 2 has none left. (spec: catalogue, Model endpoint object) */
  readonly load: 0 | 1 | 2;
  /** It can answer a turn at all: with text, a picture or speech. */
  readonly answers: boolean;
}

/** The board's endpoints by model, and by provider for the few requests that name one. */
export interface Listing {
  readonly models: ReadonlyMap<string, readonly Listed[]>;
  /** By `provider/author/slug` and by `provider/slug`. */
  readonly atProviders: () => ReadonlyMap<string, readonly Listed[]>;
}

const listings = new WeakMap<ReadonlyMap<string, Json>, Listing>();
/** The board changes often, and most of its offers stay what they are. */
const known = new WeakMap<EndpointOffer, Listed>();

/** Worked out once per state of the board: the board hands out the same map until something in it changes. */
export function listing(offers: ReadonlyMap<string, Json>): Listing {
  const cached = listings.get(offers);
  if (cached) return cached;
  const models = new Map<string, Listed[]>();
  for (const value of offers.values()) {
    const listed = listedOf(value as unknown as EndpointOffer);
    put(models, listed.offer.model, listed);
  }
  let atProviders: ReadonlyMap<string, readonly Listed[]> | null = null;
  const made: Listing = {
    models,
    atProviders: () => {
      atProviders ??= byProvider(models);
      return atProviders;
    },
  };
  listings.set(offers, made);
  return made;
}

function byProvider(models: ReadonlyMap<string, readonly Listed[]>): ReadonlyMap<string, readonly Listed[]> {
  const named = new Map<string, Listed[]>();
  for (const [model, endpoints] of models) {
    for (const listed of endpoints) {
      const { slug } = listed.offer.provider;
      put(named, `${slug}/${model}`, listed);
      put(named, `${slug}${model.slice(model.indexOf('/'))}`, listed);
    }
  }
  return named;
}

function put(under: Map<string, Listed[]>, name: string, listed: Listed): void {
  const others = under.get(name);
  if (others) others.push(listed);
  else under.set(name, [listed]);
}

function listedOf(offer: EndpointOffer): Listed {
  const before = known.get(offer);
  if (before) return before;
  const { prompt, completion } = offer.tariff;
  const promptPrice = prompt === undefined ? Number.POSITIVE_INFINITY : Number(prompt);
  const { health, capacity } = offer;
  const listed: Listed = {
    offer,
    declares: declarations(offer),
    free: prompt !== undefined && completion !== undefined && asksNothing(offer.tariff),
    promptPrice,
    price: completion === undefined ? Number.POSITIVE_INFINITY : promptPrice + Number(completion),
    tier: health === 'down' ? 2 : health === 'degraded' ? 1 : 0,
    uptime: offer.measured.uptime30m ?? offer.measured.uptime1d ?? 100,
    load: capacity === undefined ? 1 : capacity.current < capacity.total ? 0 : 2,
    answers: offer.outputModalities.some((output) => output === 'text' || output === 'image' || output === 'audio'),
  };
  known.set(offer, listed);
  return listed;
}

/** Every price of a tariff, conditional ones too. Its other members are numbers, lists, and its id. */
function asksNothing(tariff: Tariff): boolean {
  return [tariff, ...(tariff.overrides ?? [])]
    .flatMap((prices) => Object.entries(prices))
    .every(([member, price]) => member === 'id' || typeof price !== 'string' || isZero(price));
}
