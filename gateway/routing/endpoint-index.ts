import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Tariff } from '../../actors/terms/tariff.ts';
import { isZero } from '../../actors/terms/usd.ts';
import { declarations } from './declarations.ts';

/** An offer with what every request would otherwise work out again. */
export interface IndexedEndpoint {
  readonly endpoint: Endpoint;
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
export interface EndpointIndex {
  readonly models: ReadonlyMap<string, readonly IndexedEndpoint[]>;
  /** By `provider/author/slug` and by `provider/slug`. */
  readonly atProviders: () => ReadonlyMap<string, readonly IndexedEndpoint[]>;
}

const indexes = new WeakMap<ReadonlyMap<string, Json>, EndpointIndex>();
/** The board changes often, and most of its offers stay what they are. */
const known = new WeakMap<Endpoint, IndexedEndpoint>();

/** Worked out once per state of the board: the board hands out the same map until something in it changes. */
export function endpointIndex(offers: ReadonlyMap<string, Json>): EndpointIndex {
  const cached = indexes.get(offers);
  if (cached) return cached;
  const models = new Map<string, IndexedEndpoint[]>();
  for (const value of offers.values()) {
    const indexed = indexEndpoint(value as unknown as Endpoint);
    put(models, indexed.endpoint.model, indexed);
  }
  let atProviders: ReadonlyMap<string, readonly IndexedEndpoint[]> | null = null;
  const made: EndpointIndex = {
    models,
    atProviders: () => {
      atProviders ??= byProvider(models);
      return atProviders;
    },
  };
  indexes.set(offers, made);
  return made;
}

function byProvider(
  models: ReadonlyMap<string, readonly IndexedEndpoint[]>,
): ReadonlyMap<string, readonly IndexedEndpoint[]> {
  const named = new Map<string, IndexedEndpoint[]>();
  for (const [model, endpoints] of models) {
    for (const indexed of endpoints) {
      const { slug } = indexed.endpoint.provider;
      put(named, `${slug}/${model}`, indexed);
      put(named, `${slug}${model.slice(model.indexOf('/'))}`, indexed);
    }
  }
  return named;
}

function put(under: Map<string, IndexedEndpoint[]>, name: string, indexed: IndexedEndpoint): void {
  const others = under.get(name);
  if (others) others.push(indexed);
  else under.set(name, [indexed]);
}

function indexEndpoint(endpoint: Endpoint): IndexedEndpoint {
  const before = known.get(endpoint);
  if (before) return before;
  const { prompt, completion } = endpoint.tariff;
  const promptPrice = prompt === undefined ? Number.POSITIVE_INFINITY : Number(prompt);
  const { health, capacity } = endpoint;
  const indexed: IndexedEndpoint = {
    endpoint,
    declares: declarations(endpoint),
    free: prompt !== undefined && completion !== undefined && asksNothing(endpoint.tariff),
    promptPrice,
    price: completion === undefined ? Number.POSITIVE_INFINITY : promptPrice + Number(completion),
    tier: health === 'down' ? 2 : health === 'degraded' ? 1 : 0,
    uptime: endpoint.measured.uptime30m ?? endpoint.measured.uptime1d ?? 100,
    load: capacity === undefined ? 1 : capacity.current < capacity.total ? 0 : 2,
    answers: endpoint.outputModalities.some((output) => output === 'text' || output === 'image' || output === 'audio'),
  };
  known.set(endpoint, indexed);
  return indexed;
}

/** Every price of a tariff, conditional ones too. Its other members are numbers, lists, and its id. */
function asksNothing(tariff: Tariff): boolean {
  return [tariff, ...(tariff.overrides ?? [])]
    .flatMap((prices) => Object.entries(prices))
    .every(([member, price]) => member === 'id' || typeof price !== 'string' || isZero(price));
}
