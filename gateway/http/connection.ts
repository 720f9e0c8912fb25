import type { Socket } from 'node:net';
import { type RequestCredential, readCredential } from '../edge/auth/request-credential.ts';
import type { RequestContext, SocketSession } from '../edge/request-context.ts';
import type { Head } from './head.ts';

/** One client connection, and its unanswered requests in order. */
export class ClientConnection {
  readonly socket: Socket;
  /** The last answer was sent and our side ended; what the client still sends is dropped. */
  lingers = false;
  /** The WebSocket that the connection has become; null while it speaks HTTP. */
  session: SocketSession | null = null;
  readonly #owed: RequestContext[] = [];
  #quietSince: number;
  /** The Authorization header of the last request that had no other credential, and the credential parsed from it. */
  #authorization: string | null = null;
  #credential: RequestCredential | null = null;

  /** `now` is monotonic, ms. */
  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.#quietSince = now;
  }

  /** The latest unanswered request; null if every request was answered. */
  get current(): RequestContext | null {
    return this.#owed.at(-1) ?? null;
  }

  /** Monotonic ms since which no request runs; null while one does. */
  get idleSince(): number | null {
    return this.#owed.length === 0 ? this.#quietSince : null;
  }

  /**
   * The credential of a request. Clients send the same header again and again, so it is compared instead of parsed
   * again. The key stays the same string object, whose hash is cached for every table that looks it up.
   */
  credentialOf(head: Head): RequestCredential {
    const [authorization] = head.authorizations;
    if (authorization === undefined || head.authorizations.length > 1 || head.apiKeys.length > 0) {
      return readCredential(head);
    }
    if (this.#credential === null || authorization !== this.#authorization) {
      this.#authorization = authorization;
      this.#credential = readCredential(head);
    }
    return this.#credential;
  }

  begin(context: RequestContext): void {
    this.#owed.push(context);
  }

  /** Called at the end of an answer; false if it was called for this request before. */
  settle(context: RequestContext, now: number): boolean {
    // Answers are sent in the order of their requests, so this is the first and nearly always the only one.
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
   * Called when the connection has closed. Node before version 24 emits 'close' only on the answer being sent: this emits
   * it on the answers queued behind it, so that their handlers stop as for any client that leaves. Node 24 emits it
   * itself, in the tick that `destroy` asks for.
   */
  end(): void {
    for (const { response } of [...this.#owed]) {
      if (response.socket !== null || response.writableFinished) continue;
      response.destroy();
      process.nextTick(() => {
        if (!response.closed) response.emit('close');
      });
    }
  }
}
