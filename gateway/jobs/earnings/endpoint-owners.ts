import { providerOfEndpoint } from '../../../actors/endpoint/endpoint.ts';
import { AskError, type Cluster } from '../../../actors/runtime/index.ts';

/** Endpoints that are remembered; beyond that all are asked again. */
const OWNERS_MAX = 100_000;

/** The provider of each endpoint, declared or withdrawn: asked of the endpoint's actor once, because it never changes. */
export class EndpointOwners {
  readonly #cluster: Pick<Cluster, 'ask' | 'rows'>;
  readonly #askMs: number;
  readonly #known = new Map<string, string>();

  constructor(cluster: Pick<Cluster, 'ask' | 'rows'>, askMs: number) {
    this.#cluster = cluster;
    this.#askMs = askMs;
  }

  /** The slug; null for an endpoint that was withdrawn by a build that did not keep it. Throws if it cannot be asked. */
  async of(endpoint: string): Promise<string | null> {
    const known = this.#known.get(endpoint);
    if (known !== undefined) return known;
    const slug = await this.#ask(endpoint);
    if (this.#known.size >= OWNERS_MAX) this.#known.clear();
    if (slug !== null) this.#known.set(endpoint, slug);
    return slug;
  }

  async #ask(endpoint: string): Promise<string | null> {
    try {
      return await providerOfEndpoint(this.#cluster, endpoint, this.#askMs);
    } catch (error) {
      if (error instanceof AskError && error.failure.code === 'absent') return null;
      throw error;
    }
  }
}
