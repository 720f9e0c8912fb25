import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { refusalError } from '../../terms/refusal-error.ts';
import type { Budgets, GrantedSlice } from './budgets.ts';

/** The next share is fetched when less than this fraction of the current one is left, so that requests rarely wait. */
const AHEAD = 0.25;

/**
 * This node's share of the whole endpoint's window. Each request takes one grant, without waiting while the share
 * lasts. A share is valid only within its own window, and an idle share is returned for other nodes. (spec: inference,
 * Limits)
 */
export class EndpointWindow {
  readonly #budgets: Budgets;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #idleMs: number;
  #slice: GrantedSlice | null = null;
  #left = 0;
  /** Monotonic ms until which the share, or the empty grant, is valid. */
  #until = 0;
  #fetching: Promise<void> | null = null;
  #lastTakenAt = 0;
  #stopIdleWatch: Cancel | null = null;

  /** `now` is store time in ms. */
  constructor(budgets: Budgets, clock: Clock, options: { readonly now: () => number; readonly idleMs: number }) {
    this.#budgets = budgets;
    this.#clock = clock;
    this.#now = options.now;
    this.#idleMs = options.idleMs;
  }

  /** Null: counted, proceed. A promise resolves likewise, or rejects with the 429 or an AskError. Throws the 429. */
  take(): Promise<void> | null {
    const now = this.#clock.monotonic();
    this.#lastTakenAt = now;
    if (now >= this.#until) this.#drop();
    if (this.#left > 0) {
      this.#left--;
      if (this.#left < (this.#slice?.granted ?? 0) * AHEAD) this.#fetchOnce().catch(() => {});
      return null;
    }
    if (this.#slice !== null && this.#slice.granted === 0) throw this.#refusal(this.#slice);
    return this.#takeLater();
  }

  /** Returns the unused part of the share before the node leaves. */
  close(): void {
    this.#stopIdleWatch?.();
    this.#stopIdleWatch = null;
    this.#returnUnused();
  }

  async #takeLater(): Promise<void> {
    // Concurrent callers may use up the same share. Each round fetches a share and ends in a grant or a refusal.
    for (;;) {
      await this.#fetchOnce();
      if (this.#left > 0) {
        this.#left--;
        return;
      }
      if (this.#slice?.granted === 0) throw this.#refusal(this.#slice);
    }
  }

  #fetchOnce(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    const sentAt = this.#clock.monotonic();
    const slice = await this.#budgets.grantSlice();
    // Measured from the time of sending, so that the share never outlives its window.
    const until = sentAt + slice.remainingMs;
    const sameWindow = this.#slice?.resetAt === slice.resetAt;
    this.#left = (sameWindow ? this.#left : 0) + slice.granted;
    this.#slice = slice.granted === 0 && this.#left > 0 ? this.#slice : slice;
    this.#until = until;
    if (slice.granted > 0) this.#watchIdle();
  }

  #watchIdle(): void {
    this.#stopIdleWatch?.();
    this.#stopIdleWatch = this.#clock.after(this.#idleMs, () => {
      this.#stopIdleWatch = null;
      if (this.#left === 0) return;
      if (this.#clock.monotonic() - this.#lastTakenAt >= this.#idleMs) this.#returnUnused();
      else this.#watchIdle();
    });
  }

  #returnUnused(): void {
    if (this.#slice !== null && this.#left > 0 && this.#clock.monotonic() < this.#until) {
      this.#budgets.returnSlice(this.#left, this.#slice);
    }
    this.#drop();
  }

  #drop(): void {
    this.#slice = null;
    this.#left = 0;
  }

  #refusal(slice: GrantedSlice): GatewayError {
    const { limit, resetAt } = slice;
    const message = `The whole service is limited to ${limit} requests per minute`;
    return refusalError({ status: 429, type: 'rate_limit_exceeded', message, window: { limit, resetAt } }, this.#now());
  }
}
