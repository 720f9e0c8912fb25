import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { refusalError } from '../../terms/refusal-error.ts';
import type { Budgets, GrantedSlice } from './budgets.ts';

/** Below this part of a share the next one is fetched ahead, so that hardly any request waits for it. */
const AHEAD = 0.25;

/**
 * This node's share of the whole endpoint's window. One request takes one grant, without waiting while a share lasts;
 * a share is used only within its own window, and what nobody used for a while goes back to the others.
 * (spec: inference, Limits)
 */
export class EndpointWindow {
  readonly #budgets: Budgets;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #idleMs: number;
  #slice: GrantedSlice | null = null;
  #left = 0;
  /** Monotonic ms until which the share, or the knowledge that nothing is left, holds. */
  #until = 0;
  #asking: Promise<void> | null = null;
  #lastTakenAt = 0;
  #stopIdleWatch: Cancel | null = null;

  /** `now` is store time in ms. */
  constructor(budgets: Budgets, clock: Clock, options: { readonly now: () => number; readonly idleMs: number }) {
    this.#budgets = budgets;
    this.#clock = clock;
    this.#now = options.now;
    this.#idleMs = options.idleMs;
  }

  /** Null: counted, go on. A promise resolves the same way, or rejects with the 429 or an AskError. Throws the 429. */
  take(): Promise<void> | null {
    const now = this.#clock.monotonic();
    this.#lastTakenAt = now;
    if (now >= this.#until) this.#forget();
    if (this.#left > 0) {
      this.#left--;
      if (this.#left < (this.#slice?.granted ?? 0) * AHEAD) this.#ask().catch(() => {});
      return null;
    }
    if (this.#slice !== null && this.#slice.granted === 0) throw this.#refusal(this.#slice);
    return this.#takeLater();
  }

  /** Returns everything unused, as before this node leaves. */
  close(): void {
    this.#stopIdleWatch?.();
    this.#stopIdleWatch = null;
    this.#giveBack();
  }

  async #takeLater(): Promise<void> {
    // Others that waited for the same share may have used it up: each round fetches one, and ends in a grant or a refusal.
    for (;;) {
      await this.#ask();
      if (this.#left > 0) {
        this.#left--;
        return;
      }
      if (this.#slice?.granted === 0) throw this.#refusal(this.#slice);
    }
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #fetch(): Promise<void> {
    const sentAt = this.#clock.monotonic();
    const slice = await this.#budgets.grantSlice();
    // Counted from the sending: never longer than the window really lasts.
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
      if (this.#clock.monotonic() - this.#lastTakenAt >= this.#idleMs) this.#giveBack();
      else this.#watchIdle();
    });
  }

  #giveBack(): void {
    if (this.#slice !== null && this.#left > 0 && this.#clock.monotonic() < this.#until) {
      this.#budgets.returnSlice(this.#left, this.#slice);
    }
    this.#forget();
  }

  #forget(): void {
    this.#slice = null;
    this.#left = 0;
  }

  #refusal(slice: GrantedSlice): GatewayError {
    const { limit, resetAt } = slice;
    const message = `The whole service is limited to ${limit} requests per minute`;
    return refusalError({ status: 429, type: 'rate_limit_exceeded', message, window: { limit, resetAt } }, this.#now());
  }
}
