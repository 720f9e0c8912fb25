import type { WindowBudgets } from './budgets.ts';
import { AHEAD } from './window-part.ts';

/** What a holder may still take on this node in the current window. */
interface Part {
  left: number;
  /** Requests of the newest grant. */
  granted: number;
  /** The cluster has nothing more to grant in this window. */
  spent: boolean;
  fetching: Promise<void> | null;
}

/**
 * The parts of the endpoint's window that holders take on this node. Each node lets each holder take `free` requests
 * without asking, so a holder of few requests costs no message; beyond that it takes grants of the holder's part, which
 * one actor counts. All nodes together thus never exceed the part. Bounded by the window itself: a holder is entered
 * when it has taken a request, and all are dropped with the window.
 */
export class HolderParts {
  readonly #budgets: Pick<WindowBudgets, 'grantPart'>;
  readonly #free: number;
  readonly #parts = new Map<string, Part>();
  /** Store time in ms when the window of these parts ends. */
  #resetAt = 0;

  constructor(budgets: Pick<WindowBudgets, 'grantPart'>, free: number) {
    this.#budgets = budgets;
    this.#free = free;
  }

  /** True if the holder's part of the window that ends at `resetAt` is known to be used up. */
  isSpent(holder: string, resetAt: number): boolean {
    const part = this.#resetAt === resetAt ? this.#parts.get(holder) : undefined;
    return part?.spent === true && part.left === 0;
  }

  /** Takes one request; false if the part is used up. A promise resolves likewise, or rejects with an AskError. */
  take(holder: string, resetAt: number): boolean | Promise<boolean> {
    const part = this.#partOf(holder, resetAt);
    if (part.left === 0) return part.spent ? false : this.#takeLater(holder, part);
    part.left--;
    if (!part.spent && part.left < part.granted * AHEAD) this.#fetchOnce(holder, part).catch(() => {});
    return true;
  }

  /** Returns one request that was taken; without effect once its window is over. */
  giveBack(holder: string, resetAt: number): void {
    const part = this.#resetAt === resetAt ? this.#parts.get(holder) : undefined;
    if (part !== undefined) part.left++;
  }

  #partOf(holder: string, resetAt: number): Part {
    if (this.#resetAt < resetAt) {
      this.#parts.clear();
      this.#resetAt = resetAt;
    }
    const known = this.#parts.get(holder);
    if (known !== undefined) return known;
    const part: Part = { left: this.#free, granted: 0, spent: false, fetching: null };
    this.#parts.set(holder, part);
    return part;
  }

  async #takeLater(holder: string, part: Part): Promise<boolean> {
    // Concurrent callers may use up the same grant. Each round fetches one and ends in a request taken, or in none
    // left.
    while (part.left === 0) {
      if (part.spent) return false;
      await this.#fetchOnce(holder, part);
    }
    part.left--;
    return true;
  }

  #fetchOnce(holder: string, part: Part): Promise<void> {
    part.fetching ??= this.#fetch(holder, part).finally(() => {
      part.fetching = null;
    });
    return part.fetching;
  }

  async #fetch(holder: string, part: Part): Promise<void> {
    const granted = await this.#budgets.grantPart(holder);
    part.left += granted;
    part.granted = granted;
    part.spent = granted === 0;
  }
}
