import { countRequest } from '../../../actors/key/key.ts';
import {
  ENDPOINT_WINDOW,
  partName,
  returnSlice,
  takeSlice,
  takeWindow,
} from '../../../actors/rate-window/rate-window.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { HolderPlaces } from '../../overload/holder-places.ts';
import type { RateLimits } from '../../terms/config/config.ts';
import type { Budgets, GrantedSlice } from './budgets.ts';
import { type WindowPart, windowPart } from './window-part.ts';

/** When a client may repeat a request that was refused because its address has too many counts under way. */
const BUSY_MS = 1_000;

interface AccountedBudgetsOptions {
  readonly cluster: Cluster;
  readonly rates: RateLimits;
  readonly askMs: number;
  /** How many nodes share the endpoint's window. */
  readonly nodes: number;
}

/** The rate budgets, counted by actors: one count across all nodes. */
export class AccountedBudgets implements Budgets {
  readonly part: WindowPart;
  readonly #options: AccountedBudgetsOptions;
  /** Counts under way by address, at most as many as can be granted: a flood never waits for its counting actor. */
  readonly #counting: HolderPlaces;

  constructor(options: AccountedBudgetsOptions) {
    this.#options = options;
    this.#counting = new HolderPlaces(options.rates.addressPerMinute);
    this.part = windowPart(options.rates, options.nodes);
  }

  async countKey(key: string): Promise<Refusal | null> {
    const { cluster, rates, askMs } = this.#options;
    const answer = await countRequest(cluster, key, { perMinute: rates.keyPerMinute, withinMs: askMs });
    return 'refusal' in answer ? answer.refusal : null;
  }

  countUnknown(digest: string): Promise<Refusal | null> {
    return this.#count(`key-${digest}`, this.#options.rates.keyPerMinute);
  }

  countSession(digest: string): Promise<Refusal | null> {
    return this.#count(`session-${digest}`, this.#options.rates.keyPerMinute);
  }

  async countAddress(address: string): Promise<Refusal | null> {
    const { cluster, rates } = this.#options;
    const limit = rates.addressPerMinute;
    if (!this.#counting.take(address)) return refusalOf(limit, cluster.now() + BUSY_MS);
    try {
      return await this.#count(`address-${address}`, limit);
    } finally {
      this.#counting.leave(address);
    }
  }

  async grantSlice(askers: readonly string[]): Promise<GrantedSlice> {
    const { cluster, rates, askMs, nodes } = this.#options;
    const { endpointPerMinute: limit, windowMs } = rates;
    const slice = { limit, windowMs, nodes, askers };
    const { granted, windowStart, resetInMs, contended } = await takeSlice(cluster, ENDPOINT_WINDOW, slice, askMs);
    return { granted, remainingMs: resetInMs, limit, resetAt: windowStart + windowMs, contended: contended === true };
  }

  returnSlice(unused: number, resetAt: number): void {
    this.#return(unused, resetAt);
  }

  reportAskers(askers: readonly string[], resetAt: number): void {
    this.#return(0, resetAt, askers);
  }

  async grantPart(holder: string): Promise<number> {
    const { cluster, rates, askMs, nodes } = this.#options;
    const slice = { limit: this.part.pool, windowMs: rates.windowMs, nodes };
    return (await takeSlice(cluster, partName(holder), slice, askMs)).granted;
  }

  #return(count: number, resetAt: number, askers: readonly string[] = []): void {
    const { cluster, rates } = this.#options;
    returnSlice(cluster, ENDPOINT_WINDOW, { count, windowStart: resetAt - rates.windowMs, askers });
  }

  async #count(name: string, limit: number): Promise<Refusal | null> {
    const { cluster, rates, askMs } = this.#options;
    const { windowMs } = rates;
    const taken = await takeWindow(cluster, name, { count: 1, limit, windowMs }, askMs);
    if (taken.granted) return null;
    // Windows begin at multiples of their length. The answer's travel time makes the sum slightly late, so round it.
    const resetAt = Math.round((cluster.now() + taken.resetInMs) / windowMs) * windowMs;
    return refusalOf(limit, resetAt);
  }
}

function refusalOf(limit: number, resetAt: number): Refusal {
  const message = `Rate limit of ${limit} requests per minute exceeded`;
  return { status: 429, type: 'rate_limit_exceeded', message, window: { limit, resetAt } };
}
