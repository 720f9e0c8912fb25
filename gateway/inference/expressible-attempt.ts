import type { Modality } from '../../actors/terms/endpoint.ts';
import type { ProviderAttempt } from '../providers/adapter.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';

const MODALITIES: { readonly [type in TurnEvent['type']]?: Modality } = { 'audio-delta': 'audio', image: 'image' };

/**
 * An attempt of a turn whose dialect has no form for some modalities. A whole answer with one of these fails; of a
 * stream the parts before the first of them are delivered. It fails as refused: the provider is not at fault, and
 * another endpoint may answer in text. (rule I76)
 */
export class ExpressibleAttempt implements ProviderAttempt {
  readonly #attempt: ProviderAttempt;
  readonly #inexpressible: readonly Modality[];
  #failure: ProviderFailure | null = null;

  readonly #streamed: boolean;

  constructor(attempt: ProviderAttempt, inexpressible: readonly Modality[], streamed: boolean) {
    this.#attempt = attempt;
    this.#inexpressible = inexpressible;
    this.#streamed = streamed;
  }

  get status(): number {
    return this.#attempt.status;
  }

  get upstreamId(): string | null {
    return this.#attempt.upstreamId;
  }

  get usage(): Usage {
    return this.#attempt.usage;
  }

  async read(): Promise<readonly TurnEvent[] | null> {
    if (this.#failure !== null) throw this.#failure;
    const events = await this.#attempt.read();
    const at = events?.findIndex((event) => this.#isInexpressible(event)) ?? -1;
    if (events === null || at < 0) return events;
    const { type } = events[at] as TurnEvent;
    const code = { code: 'inexpressible_output' } as const;
    this.#failure = new ProviderFailure('rejected', `an answer with ${type} in another dialect`, this.status, code);
    this.#attempt.abort();
    if (at === 0 || !this.#streamed) throw this.#failure;
    return events.slice(0, at);
  }

  abort(): void {
    this.#attempt.abort();
  }

  #isInexpressible({ type }: TurnEvent): boolean {
    const modality = MODALITIES[type];
    return modality !== undefined && this.#inexpressible.includes(modality);
  }
}
