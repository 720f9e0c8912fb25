const CONVERSATIONS_MAX = 50_000;

/**
 * Which endpoint served a conversation last, as far as this gateway remembers: the newest conversations, each under its
 * own account. Forgetting costs only a cold cache at the provider. (spec: inference, Routing rules 1)
 */
export class Affinity {
  readonly #served = new Map<string, string>();

  /** Endpoint id, or null when unknown. */
  recall(account: string, conversation: string | undefined): string | null {
    if (conversation === undefined) return null;
    return this.#served.get(`${account}\n${conversation}`) ?? null;
  }

  remember(account: string, conversation: string | undefined, endpoint: string): void {
    if (conversation === undefined) return;
    const key = `${account}\n${conversation}`;
    this.#served.delete(key);
    this.#served.set(key, endpoint);
    if (this.#served.size <= CONVERSATIONS_MAX) return;
    const oldest = this.#served.keys().next();
    if (!oldest.done) this.#served.delete(oldest.value);
  }
}
