import { ASKERS_MAX } from '../../../actors/rate-window/table.ts';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { RateLimits } from '../../terms/config/config.ts';
import type { GrantedSlice, WindowBudgets } from './budgets.ts';

/** How a holder's part of the endpoint's window is distributed. Together never more than the part. */
export interface WindowPart {
  /** Requests per window that one holder may take while others ask. */
  readonly max: number;
  /** Requests that each node lets a holder take without asking. */
  readonly free: number;
  /** Requests that are granted to the nodes that ask for more. */
  readonly pool: number;
}

/**
 * An eighth of the part is free, in even shares of the nodes: of a part of 1,500 on three nodes, 62 requests a minute
 * on each, so that most accounts never cost a message. A holder that uses one node alone cannot reach the free shares
 * of the others, and so gets at most an eighth less than its part.
 */
const FREE_PARTS = 8;

export function windowPart({ endpointPerMinute, partPercentMax }: RateLimits, nodes: number): WindowPart {
  // Without a bound below the whole, the window itself is the only one.
  if (partPercentMax >= 100) return { max: endpointPerMinute, free: endpointPerMinute, pool: 0 };
  const max = Math.max(1, Math.floor((endpointPerMinute * partPercentMax) / 100));
  const free = Math.floor(max / (FREE_PARTS * nodes));
  return { max, free, pool: max - free * nodes };
}

/** The next share is fetched when less than this fraction of the current one is left, so that requests rarely wait. */
export const AHEAD = 0.25;
/** An empty grant is believed for this long: refused requests and idle nodes return what they had taken. */
const EMPTY_MS = 1_000;

/** The window is used up until `resetAt`, store time in ms. */
export interface UsedUp {
  readonly granted: 0;
  readonly limit: number;
  readonly resetAt: number;
}

/** The window from which one request was taken. */
export interface ShareTaken {
  readonly granted: 1;
  readonly resetAt: number;
}

/**
 * This node's share of the whole endpoint's window. Each request takes one grant, without waiting while the share
 * lasts. A share is valid only within its own window, and an idle share is returned for other nodes. The first two
 * askers of each window are reported, so that the cluster knows whether one asks alone. (rule E14)
 */
export class WindowShare {
  readonly #budgets: WindowBudgets;
  readonly #clock: Clock;
  readonly #idleMs: number;
  #slice: GrantedSlice | null = null;
  #left = 0;
  /** Monotonic ms until which the share, or the empty grant, is valid. */
  #until = 0;
  /** Monotonic ms until which an empty grant is not requested again. */
  #emptyUntil = 0;
  #contended = false;
  #fetching: Promise<void> | null = null;
  #lastTakenAt = 0;
  #stopIdleWatch: Cancel | null = null;
  #askers: string[] = [];

  constructor(budgets: WindowBudgets, clock: Clock, idleMs: number) {
    this.#budgets = budgets;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** True if several ask, as of the newest grant. */
  get contended(): boolean {
    return this.#contended;
  }

  /** Store time in ms when the window of the current share ends; null without a share. */
  get resetAt(): number | null {
    return this.#slice?.resetAt ?? null;
  }

  /** Takes one request for `asker`. A promise resolves likewise, or rejects with an AskError. */
  take(asker: string): ShareTaken | UsedUp | Promise<ShareTaken | UsedUp> {
    const now = this.#clock.monotonic();
    this.#lastTakenAt = now;
    this.#expire(now);
    this.#note(asker);
    if (this.#left > 0) return this.#takeOne(now);
    return this.#usedUpAt(now) ?? this.#takeLater();
  }

  /** The used-up window, as far as this node knows without asking; null if a request may find something left. */
  usedUp(): UsedUp | null {
    const now = this.#clock.monotonic();
    this.#expire(now);
    return this.#usedUpAt(now);
  }

  /** Returns one request to its window; without effect once that window is over. */
  giveBack(resetAt: number): void {
    this.#expire(this.#clock.monotonic());
    if (this.#slice === null) this.#budgets.returnSlice(1, resetAt);
    if (this.#slice?.resetAt !== resetAt) return;
    this.#left++;
    if (this.#stopIdleWatch === null) this.#watchIdle();
  }

  /** Returns the unused part of the share before the node leaves. */
  close(): void {
    this.#stopIdleWatch?.();
    this.#stopIdleWatch = null;
    this.#returnUnused();
  }

  #takeOne(now: number): ShareTaken {
    const { granted, resetAt } = this.#slice as GrantedSlice;
    this.#left--;
    if (this.#left < granted * AHEAD && now >= this.#emptyUntil) this.#fetchOnce().catch(() => {});
    return { granted: 1, resetAt };
  }

  #usedUpAt(now: number): UsedUp | null {
    return this.#left === 0 && now < this.#emptyUntil ? this.#empty() : null;
  }

  #empty(): UsedUp | null {
    if (this.#slice?.granted !== 0) return null;
    const { limit, resetAt } = this.#slice;
    return { granted: 0, limit, resetAt };
  }

  #expire(now: number): void {
    if (this.#slice !== null && now >= this.#until) this.#drop();
  }

  async #takeLater(): Promise<ShareTaken | UsedUp> {
    // Concurrent callers may use up the same share. Each round fetches a share and ends in a grant or a refusal.
    for (;;) {
      await this.#fetchOnce();
      if (this.#left > 0) return this.#takeOne(this.#clock.monotonic());
      const empty = this.#empty();
      if (empty !== null) return empty;
    }
  }

  /** Reports a further asker at once: a large share may last for the rest of the window. */
  #note(asker: string): void {
    if (this.#askers.length >= ASKERS_MAX || this.#askers.includes(asker)) return;
    this.#askers.push(asker);
    if (this.#slice !== null) this.#budgets.reportAskers(this.#askers, this.#slice.resetAt);
  }

  #fetchOnce(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    const sentAt = this.#clock.monotonic();
    const askers = [...this.#askers];
    const slice = await this.#budgets.grantSlice(askers);
    // Measured from the time of sending, so that the share never outlives its window.
    const until = sentAt + slice.remainingMs;
    const sameWindow = this.#slice?.resetAt === slice.resetAt;
    this.#left = (sameWindow ? this.#left : 0) + slice.granted;
    this.#slice = slice.granted === 0 && this.#left > 0 ? this.#slice : slice;
    this.#until = until;
    this.#contended = slice.contended;
    if (this.#askers.length > askers.length) this.#budgets.reportAskers(this.#askers, slice.resetAt);
    if (slice.granted > 0) this.#watchIdle();
    else this.#emptyUntil = sentAt + EMPTY_MS;
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
      this.#budgets.returnSlice(this.#left, this.#slice.resetAt);
    }
    this.#drop();
  }

  #drop(): void {
    this.#slice = null;
    this.#left = 0;
    this.#emptyUntil = 0;
    this.#askers = [];
  }
}
