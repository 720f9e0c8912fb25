import type { ServerResponse } from 'node:http';

/**
 * The bytes of large bodies that one node holds, each from before its upload to the end of its answer: what is made of a
 * body lives as long as its request. Small bodies are bounded by the number of requests alone.
 */
export class BodyRoom {
  #left: number;

  constructor(bytesMax: number) {
    this.#left = bytesMax;
  }

  /** Once per request. False: there is no room for so much now. */
  take(bytes: number, response: ServerResponse): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    response.once('close', () => {
      this.#left += bytes;
    });
    return true;
  }
}
