import { LRUCache } from 'lru-cache';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';

/** Accounts whose refusals are kept, least recently refused forgotten first; and the newest of each. */
const ACCOUNTS_MAX = 10_000;
const EACH_MAX = 5;
const MESSAGE_CHARS_MAX = 500;
/** Their messages are our own words alone; those of any other status may quote what the client wrote. */
const OWN_WORDS: ReadonlySet<number> = new Set([401, 402, 403, 429]);

type Refused = Omit<RefusedRequest, 'node'>;

/**
 * The newest refused requests of each account at this node, in memory, and those of them that are still to be stored:
 * what has no hold leaves no record elsewhere.
 */
export class LastRefusals {
  readonly #known = new LRUCache<string, readonly Refused[]>({ max: ACCOUNTS_MAX });
  readonly #waiting = new LRUCache<string, readonly Refused[]>({ max: ACCOUNTS_MAX });

  note(account: string, refused: Refused): void {
    const short = { ...refused, message: refused.message?.slice(0, MESSAGE_CHARS_MAX) ?? null };
    this.#known.set(account, [short, ...(this.#known.get(account) ?? [])].slice(0, EACH_MAX));
    const stored = { ...short, message: mayStore(refused) ? short.message : null };
    this.#waiting.set(account, [...(this.#waiting.get(account) ?? []), stored].slice(-EACH_MAX));
  }

  /** Newest first, each with its message. */
  of(account: string): readonly Refused[] {
    return this.#known.get(account) ?? [];
  }

  /** To be stored: of so many accounts at most, refused longest ago first, each oldest first. */
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

/** Prompts are in no row and in no log. (rule N40) */
function mayStore({ status }: Refused): boolean {
  return OWN_WORDS.has(status);
}
