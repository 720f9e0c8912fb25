import { Slab } from '../../../actors/runtime/index.ts';

/**
 * The turns that run on this node right now, each with the way to end it in order. A drain that has waited long enough
 * ends them all: their callers hear of the restart in-band, and what was delivered is charged.
 */
export class OpenTurns {
  readonly #cuts = new Slab<() => void>();
  /** Turns that could not be settled before their caller was answered. */
  settledLater = 0;
  streams = 0;

  get size(): number {
    return this.#cuts.size;
  }

  /** Registers a running turn; call what it returns when the turn has ended. */
  open(cut: () => void): () => void {
    const place = this.#cuts.add(cut);
    return () => void this.#cuts.take(place);
  }

  cutAll(): void {
    for (const cut of this.#cuts.all()) cut();
  }
}
