import { LRUCache } from 'lru-cache';

const CONVERSATIONS_MAX = 50_000;

/**
 * Remembers which endpoint last served a conversation: the newest conversations of this gateway, each under its own
 * account. A lost entry costs only a cold cache at the provider. (spec: inference, Routing rules 1)
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
