import type { ServerResponse } from 'node:http';

/** Of all room: above `CROWDED`, one account gets no more than its `SHARE`. */
const CROWDED = 0.5;
const SHARE = 0.25;

export interface BodyPlace {
  /** False where the node lacks room for as many bytes more. */
  readonly reserve: (bytes: number) => boolean;
  /** Gives all of it back. */
  readonly leave: () => void;
}

/**
 * The bytes of large bodies that one node holds at once. Each body counts from its arrival to the end of its answer,
 * since the values parsed from it live as long as the request. Small bodies are bounded by the number of requests
 * alone. Half of the room is never taken by one account.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Reserves bytes of one request until its response ends; false where the node lacks room for them now. */
  reservation(account: string, response: ServerResponse): (bytes: number) => boolean {
    const place = this.place(account);
    let isWatched = false;
    return (bytes) => {
      // Nothing would release it, and the body of a client that left is dropped.
      if (response.destroyed) return true;
      if (!place.reserve(bytes)) return false;
      if (!isWatched) response.once('close', place.leave);
      isWatched = true;
      return true;
    };
  }

  /** The room of one body, whose owner gives it back. */
  place(account: string): BodyPlace {
    let held = 0;
    return {
      reserve: (bytes) => {
        if (!this.#take(account, bytes)) return false;
        held += bytes;
        return true;
      },
      leave: () => {
        this.#giveBack(account, held);
        held = 0;
      },
    };
  }

  #take(account: string, bytes: number): boolean {
    const own = (this.#byAccount.get(account) ?? 0) + bytes;
    const all = this.#bytes + bytes;
    if (all > this.#bytesMax || (all > this.#bytesMax * CROWDED && own > this.#bytesMax * SHARE)) return false;
    this.#bytes = all;
    this.#byAccount.set(account, own);
    return true;
  }

  #giveBack(account: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = (this.#byAccount.get(account) ?? 0) - bytes;
    if (left > 0) this.#byAccount.set(account, left);
    else this.#byAccount.delete(account);
  }
}
