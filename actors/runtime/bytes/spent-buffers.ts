import { freeBytes } from './free-bytes.ts';

/**
 * Frees the read buffers of one body: each once a piece of a later one passes. The first and the last buffer may hold
 * more than the body, so they are left to the collector.
 */
export class SpentBuffers {
  #first: ArrayBufferLike | null = null;
  #last: Uint8Array | null = null;

  /** Call it once every earlier piece was used. */
  passing(piece: Uint8Array): void {
    this.#first ??= piece.buffer;
    if (this.#last !== null && this.#last.buffer !== piece.buffer && this.#last.buffer !== this.#first)
      freeBytes(this.#last);
    this.#last = piece;
  }
}
