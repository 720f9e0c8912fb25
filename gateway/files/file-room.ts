import { unavailable } from '../terms/unavailable.ts';

/** Bounds the bytes of stored files that the requests of one node hold at once. */
export class FileRoom {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns the function that gives the room back. Throws GatewayError 503 without room. */
  take(bytes: number): () => void {
    if (this.#bytes + bytes > this.#bytesMax)
      throw unavailable('too many bytes of stored files are under way on this node');
    this.#bytes += bytes;
    let taken = true;
    return () => {
      if (taken) this.#bytes -= bytes;
      taken = false;
    };
  }
}
