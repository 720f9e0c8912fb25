import { Slab } from '../../../actors/runtime/index.ts';

/**
 * The turns that run on this node, each with a function that ends it in order. At the end of its grace period a drain
 * ends them all: streams receive the restart error in-band, and the delivered part is charged.
 */
export class OpenTurns {
  readonly #cuts = new Slab<() => void>();
  /** Turns whose charge could not be recorded before the answer was sent. */
  settledLater = 0;
  streams = 0;

  get size(): number {
    return this.#cuts.size;
  }

  /** Registers a running turn; call the returned function when the turn has ended. */
  open(cut: () => void): () => void {
    const place = this.#cuts.add(cut);
    return () => void this.#cuts.take(place);
  }

  cutAll(): void {
    for (const cut of this.#cuts.all()) cut();
  }
}
