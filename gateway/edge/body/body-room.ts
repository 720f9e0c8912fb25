import type { ServerResponse } from 'node:http';

/**
 * The bytes of large bodies that one node holds at once. Each body counts from before its upload to the end of its
 * answer, since the values parsed from it live as long as the request. Small bodies are bounded by the number of
 * requests alone.
 */
export class BodyRoom {
  #left: number;

  constructor(bytesMax: number) {
    this.#left = bytesMax;
  }

  /** Until the response ends. False: the node lacks room for `bytes` now. */
  take(bytes: number, response: ServerResponse): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    response.once('close', () => {
      this.#left += bytes;
    });
    return true;
  }
}
