import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Head } from '../head.ts';
import { type Presented, readPresented } from '../presented.ts';

/** One client connection, and the answers it is owed, in the order of their requests. */
export class Connection {
  readonly socket: Socket;
  readonly #owed: ServerResponse[] = [];
  #quietSince: number;
  /** The header of the last request that had this one credential alone, and what was read of it. */
  #authorization: string | null = null;
  #presented: Presented | null = null;

  /** `now` is monotonic, ms. */
  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.#quietSince = now;
  }

  /** The answer to the last request that came; null when it is over. */
  get current(): ServerResponse | null {
    return this.#owed.at(-1) ?? null;
  }

  /** Since when nothing is asked on it, monotonic ms; null while it is owed an answer. */
  get idleSince(): number | null {
    return this.#owed.length === 0 ? this.#quietSince : null;
  }

  /**
   * The credential of a request on it. A client sends the same one again and again: compared, not read anew, and the key
   * stays the very string whose hash is known to every table it is looked up in.
   */
  presented(head: Head): Presented {
    const [authorization] = head.authorizations;
    if (authorization === undefined || head.authorizations.length > 1 || head.apiKeys.length > 0) {
      return readPresented(head);
    }
    if (this.#presented === null || authorization !== this.#authorization) {
      this.#authorization = authorization;
      this.#presented = readPresented(head);
    }
    return this.#presented;
  }

  owe(response: ServerResponse): void {
    this.#owed.push(response);
  }

  /** The answer is over; false when it was before. */
  settle(response: ServerResponse, now: number): boolean {
    // Answers leave in the order of their requests: it is the first, and nearly always the only one.
    if (this.#owed[0] === response) {
      this.#owed.shift();
    } else {
      const at = this.#owed.indexOf(response);
      if (at < 0) return false;
      this.#owed.splice(at, 1);
    }
    this.#quietSince = now;
    return true;
  }

  /**
   * The connection is gone. Node tells the answer whose turn it was, and forgets those that waited behind it for theirs:
   * whoever works on one of them hears of it here, as of any caller that leaves.
   */
  end(): void {
    for (const response of [...this.#owed]) {
      if (response.socket !== null || response.writableFinished) continue;
      response.destroy();
      response.emit('close');
    }
  }
}
