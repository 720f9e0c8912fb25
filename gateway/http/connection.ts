import type { Socket } from 'node:net';
import type { HttpExchange, SocketSession } from './exchange.ts';
import type { Head } from './head.ts';

/** Makes the contexts of one connection's requests. */
export type ContextOf<Context> = (exchange: HttpExchange<Context>, head: Head) => Context;

/** One client connection, and its unanswered requests in order. */
export class ClientConnection<Context extends Pick<HttpExchange<Context>, 'response'>> {
  readonly socket: Socket;
  /** The last answer was sent and our side ended; what the client still sends is dropped. */
  lingers = false;
  /** The WebSocket that the connection has become; null while it speaks HTTP. */
  session: SocketSession | null = null;
  readonly contextOf: ContextOf<Context>;
  readonly #owed: Context[] = [];
  #quietSince: number;

  /** `now` is monotonic, ms. */
  constructor(socket: Socket, now: number, contextOf: ContextOf<Context>) {
    this.socket = socket;
    this.contextOf = contextOf;
    this.#quietSince = now;
  }

  /** The latest unanswered request; null if every request was answered. */
  get current(): Context | null {
    return this.#owed.at(-1) ?? null;
  }

  /** Monotonic ms since which no request runs; null while one does. */
  get idleSince(): number | null {
    return this.#owed.length === 0 ? this.#quietSince : null;
  }

  begin(context: Context): void {
    this.#owed.push(context);
  }

  /** Called at the end of an answer; false if it was called for this request before. */
  settle(context: Context, now: number): boolean {
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
