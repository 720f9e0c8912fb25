import type { Socket } from 'node:net';
import { type RequestCredential, readCredential } from '../auth/request-credential.ts';
import type { RequestContext } from '../request-context.ts';
import type { Head } from './head.ts';

/** One client connection, and its requests without a complete answer, in their order. */
export class ClientConnection {
  readonly socket: Socket;
  readonly #owed: RequestContext[] = [];
  #quietSince: number;
  /** The header of the last request that had this one credential alone, and what was read of it. */
  #authorization: string | null = null;
  #presented: RequestCredential | null = null;

  /** `now` is monotonic, ms. */
  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.#quietSince = now;
  }

  /** The last request on it; null once every one was answered. */
  get current(): RequestContext | null {
    return this.#owed.at(-1) ?? null;
  }

  /** Since when no request runs on it, monotonic ms; null while one does. */
  get idleSince(): number | null {
    return this.#owed.length === 0 ? this.#quietSince : null;
  }

  /**
   * The credential of a request on it. A client sends the same one again and again: compared, not read anew, and the key
   * stays the very string whose hash is known to every table it is looked up in.
   */
  presented(head: Head): RequestCredential {
    const [authorization] = head.authorizations;
    if (authorization === undefined || head.authorizations.length > 1 || head.apiKeys.length > 0) {
      return readCredential(head);
    }
    if (this.#presented === null || authorization !== this.#authorization) {
      this.#authorization = authorization;
      this.#presented = readCredential(head);
    }
    return this.#presented;
  }

  owe(context: RequestContext): void {
    this.#owed.push(context);
  }

  /** The answer to this request has ended; false if it had before. */
  settle(context: RequestContext, now: number): boolean {
    // Answers are sent in the order of their requests: it is the first, and nearly always the only one.
    if (this.#owed[0] === context) {
      this.#owed.shift();
    } else {
      const at = this.#owed.indexOf(context);
      if (at < 0) return false;
      this.#owed.splice(at, 1);
    }
    this.#quietSince = now;
    return true;
  }

  /**
   * The connection has closed. Node emits 'close' only on the answer that was being sent: this emits it on the answers
   * that waited behind it, so that their handlers stop as for any caller that leaves.
   */
  end(): void {
    for (const { response } of [...this.#owed]) {
      if (response.socket !== null || response.writableFinished) continue;
      response.destroy();
      response.emit('close');
    }
  }
}
