import { LRUCache } from 'lru-cache';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';

/** Accounts whose refusals wait, least recently refused forgotten first; and the newest of each. */
const ACCOUNTS_MAX = 10_000;
const EACH_MAX = 5;
const MESSAGE_CHARS_MAX = 500;

type Refused = Omit<RefusedRequest, 'node'>;

/** The newest refused requests of each account at this node since they were last taken. */
export class LastRefusals {
  readonly #waiting = new LRUCache<string, readonly Refused[]>({ max: ACCOUNTS_MAX });

  note(account: string, refused: Refused): void {
    const short = { ...refused, message: refused.message.slice(0, MESSAGE_CHARS_MAX) };
    this.#waiting.set(account, [...(this.#waiting.get(account) ?? []), short].slice(-EACH_MAX));
  }

  /** Of so many accounts at most, those that were refused longest ago first; each oldest first. */
  take(accountsMax: number): readonly (readonly [account: string, refused: readonly Refused[]])[] {
    const taken: [string, readonly Refused[]][] = [];
    for (const account of this.#waiting.rkeys()) {
      if (taken.length === accountsMax) break;
      taken.push([account, this.#waiting.peek(account) ?? []]);
    }
    for (const [account] of taken) this.#waiting.delete(account);
    return taken;
  }
}
