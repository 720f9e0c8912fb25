import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import { providerAddress } from '../../actors/terms/ids.ts';
import type { ProviderDeclaration } from '../terms/provider-declaration.ts';
import { type Declared, type DeclareParts, declareOne } from './declare.ts';
import { WARNED } from './declare-until-listed.ts';

export interface RefresherParts extends DeclareParts {
  readonly clock: Clock;
  readonly log: { warn(record: object, message: string): void; error(record: object, message: string): void };
}

/**
 * Reads the models documents again: on an interval those of the providers whose actors live on this node, on command
 * any. An invalid or unreachable document changes only the status that its provider's actor reports.
 */
export class Refresher {
  readonly #parts: RefresherParts;
  /** The last logged problem, by provider: a document that stays invalid is logged once. */
  readonly #logged = new Map<string, string>();
  /** Digest of the last declared text, by provider: the interval skips unchanged documents. */
  readonly #known = new Map<string, string>();
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: RefresherParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(this.#parts.upstream.documentEveryMs, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** One provider, or all; null when no provider has that slug. Throws if an actor cannot be reached. */
  async refresh(slug: string | null): Promise<readonly Declared[] | null> {
    const named = this.#parts.providers.filter((provider) => slug === null || provider.slug === slug);
    if (slug !== null && named.length === 0) return null;
    const declared: Declared[] = [];
    for (const provider of named) {
      const one = await this.#read(provider, null);
      if (one) declared.push(one);
    }
    return declared;
  }

  /** One round over the providers of this node. */
  async round(): Promise<void> {
    for (const provider of this.#parts.providers) {
      const own = this.#parts.cluster.owns(providerAddress(provider.slug));
      // A document in the config cannot change while the node runs.
      if (this.#stopped || !own || typeof provider.models !== 'string') continue;
      try {
        await this.#read(provider, this.#known.get(provider.slug) ?? null);
      } catch (error) {
        this.#parts.log.warn(
          { provider: provider.slug, detail: String(error) },
          'a models document could not be declared',
        );
      }
    }
  }

  async #run(): Promise<void> {
    await this.round();
    if (!this.#stopped) this.start();
  }

  async #read(provider: ProviderDeclaration, known: string | null): Promise<Declared | null> {
    const declared = await declareOne(this.#parts, provider, known);
    if (declared === null) return null;
    const { problem, digest, warnings } = declared;
    if (warnings.length > 0) this.#parts.log.warn({ provider: provider.slug, warnings }, WARNED);
    if (digest === null) this.#known.delete(provider.slug);
    else this.#known.set(provider.slug, digest);
    if (problem === null) this.#logged.delete(provider.slug);
    else if (this.#logged.get(provider.slug) !== problem) {
      this.#logged.set(provider.slug, problem);
      this.#parts.log.error(
        { provider: provider.slug, problem },
        'a models document is invalid; the previous one stays in effect',
      );
    }
    return declared;
  }
}
