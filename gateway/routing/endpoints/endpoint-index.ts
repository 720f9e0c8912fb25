import type { Json } from '../../../actors/runtime/index.ts';
import { CAPACITY_MS, type Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { isZero } from '../../../actors/terms/usd.ts';
import { PRICE_KEYS } from '../../pricing/prices.ts';
import { adapterOf } from '../../providers/call/target.ts';
import { type VocabularyName, vocabularyOf } from '../../tokens/vocabulary.ts';
import { declarations } from './declarations.ts';

/** An endpoint with the values that every request would otherwise compute again. */
export interface IndexedEndpoint {
  readonly endpoint: Endpoint;
  readonly declares: ReadonlySet<string>;
  /** Prompt and completion are declared, and every declared price is zero. */
  readonly free: boolean;
  /** Prices as numbers, infinite where undeclared: for weights and first comparisons only, never for money. */
  readonly promptPrice: number;
  readonly price: number;
  /**
   * 0 healthy or not yet known, 1 degraded, 2 down. An unknown endpoint counts as healthy, since only traffic measures
   * it.
   */
  readonly tier: 0 | 1 | 2;
  /** Percent of the last half hour, else of the day; 100 if never measured, so that a new endpoint gets traffic. */
  readonly uptime: number;
  /** True when it can produce text, images or speech. */
  readonly answers: boolean;
  /** It continues a text and serves no conversation. */
  readonly continuesOnly: boolean;
  /** It embeds, and its wire has no form for token ids. */
  readonly embedsTextsOnly: boolean;
  /** Counts its prompts. */
  readonly vocabulary: VocabularyName;
}

/** The board's endpoints by model, and by provider for the few requests that name one. */
export interface EndpointIndex {
  readonly models: ReadonlyMap<string, readonly IndexedEndpoint[]>;
  /** By `provider/author/slug` and by `provider/slug`. */
  readonly atProviders: () => ReadonlyMap<string, readonly IndexedEndpoint[]>;
}

const indexes = new WeakMap<ReadonlyMap<string, Json>, EndpointIndex>();
/** Per endpoint object: the board changes often, and most of its endpoints stay the same objects. */
const known = new WeakMap<Endpoint, IndexedEndpoint>();

/** Computed once per state of the board: the board returns the same map until it changes. */
export function endpointIndex(board: ReadonlyMap<string, Json>): EndpointIndex {
  const cached = indexes.get(board);
  if (cached) return cached;
  const models = new Map<string, IndexedEndpoint[]>();
  for (const value of board.values()) {
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
  indexes.set(board, made);
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
  const { health } = endpoint;
  const adapter = adapterOf(endpoint);
  const indexed: IndexedEndpoint = {
    endpoint,
    declares: declarations(endpoint),
    free: prompt !== undefined && completion !== undefined && isFree(endpoint.tariff),
    promptPrice,
    price: completion === undefined ? Number.POSITIVE_INFINITY : promptPrice + Number(completion),
    tier: health === 'down' ? 2 : health === 'degraded' ? 1 : 0,
    uptime: endpoint.measured.uptime30m ?? endpoint.measured.uptime1d ?? 100,
    answers: endpoint.outputModalities.some((output) => output === 'text' || output === 'image' || output === 'audio'),
    continuesOnly: adapter?.continuesText === true,
    embedsTextsOnly: endpoint.outputModalities.includes('embeddings') && adapter?.takesTokenIds !== true,
    vocabulary: vocabularyOf(endpoint.tokenizer),
  };
  known.set(endpoint, indexed);
  return indexed;
}

/**
 * 0: reports free slots, 1: has no report of the last minute, 2: reports none left. `at` is store time in ms: an
 * endpoint without traffic publishes nothing when its report becomes stale. (rule C25)
 */
export function loadOf({ endpoint: { capacity } }: IndexedEndpoint, at: number): 0 | 1 | 2 {
  if (capacity === undefined || at - capacity.reportedAt > CAPACITY_MS) return 1;
  return capacity.current < capacity.total ? 0 : 2;
}

/** True when every price of a tariff is zero, conditional ones included. */
function isFree(tariff: Tariff): boolean {
  const plain = [tariff, ...(tariff.overrides ?? [])];
  if ((tariff.videoTiers ?? []).some(({ rate }) => !isZero(rate))) return false;
  return plain.every((prices) => PRICE_KEYS.every((key) => isZero(prices[key] ?? '0')));
}

/** Names of providers or values shown in one list, and characters of each. */
const NAMES_MAX = 10;
const NAME_CHARACTERS_MAX = 64;

/** Names as part of a sentence, each once. */
export function listed(names: Iterable<string>): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, NAMES_MAX).map((name) => name.slice(0, NAME_CHARACTERS_MAX));
  return shown.join(', ') + (unique.length > NAMES_MAX ? `, and ${unique.length - NAMES_MAX} more` : '');
}
