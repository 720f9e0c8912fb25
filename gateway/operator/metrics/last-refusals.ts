import { LRUCache } from 'lru-cache';
import type { RefusedRequest } from '../../terms/measures.ts';

/** Accounts whose refusals are kept, least recently refused forgotten first; and the newest of each. */
const ACCOUNTS_MAX = 10_000;
const EACH_MAX = 5;
const MESSAGE_CHARS_MAX = 500;

/** The newest refused requests of each account at this node, in memory: what has no hold leaves no record elsewhere. */
export class LastRefusals {
  readonly #known = new LRUCache<string, readonly RefusedRequest[]>({ max: ACCOUNTS_MAX });

  note(account: string, refused: RefusedRequest): void {
    const short = { ...refused, message: refused.message.slice(0, MESSAGE_CHARS_MAX) };
    this.#known.set(account, [short, ...(this.#known.get(account) ?? [])].slice(0, EACH_MAX));
  }

  /** Newest first. */
  of(account: string): readonly RefusedRequest[] {
    return this.#known.get(account) ?? [];
  }
}
