import { LRUCache } from 'lru-cache';

const CONVERSATIONS_MAX = 50_000;

/**
 * Which endpoint served a conversation last, as far as this gateway remembers: the newest conversations, each under its
 * own account. Forgetting costs only a cold cache at the provider. (spec: inference, Routing rules 1)
 */
export class Affinity {
  readonly #served = new LRUCache<string, string>({ max: CONVERSATIONS_MAX });

  /** Endpoint id, or null when unknown. */
  recall(account: string, conversation: string | undefined): string | null {
    if (conversation === undefined) return null;
    return this.#served.get(`${account}\n${conversation}`) ?? null;
  }

  remember(account: string, conversation: string | undefined, endpoint: string): void {
    if (conversation !== undefined) this.#served.set(`${account}\n${conversation}`, endpoint);
  }
}
