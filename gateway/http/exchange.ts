import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A WebSocket of a client, as the listener of its node sees it. */
export interface SocketSession {
  /** The node drains: ends the socket with a restart code once nothing is under way on it. Called until it has. */
  drain(): void;
}

/** The offer of a client to go on as a WebSocket. */
export interface Upgrade<Context> {
  readonly socket: Socket;
  /** Bytes that arrived behind the request. */
  readonly head: Buffer;
  /** Ends the request; the connection belongs to the session from now on. */
  adopt(session: SocketSession): void;
  /** Begins a request inside the session. */
  begin(request: IncomingMessage, response: ServerResponse): Context;
}

/** A request whose head has arrived, and its answer. `Context`: what the server that is built on this makes of it. */
export interface HttpExchange<Context> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Monotonic ms at which the head arrived. */
  readonly startedAt: number;
  /** Sends `100 Continue` to a client that waits for it before sending the body; null for any other request. */
  readonly invite: (() => void) | null;
  /** The offer to go on as a WebSocket; null for any other request. */
  readonly upgrade: Upgrade<Context> | null;
}

/** The answer to a request that is not served. */
export interface RefusalAnswer {
  readonly status: number;
  /** A flat list of names and values, the content type among them. */
  readonly headers: string[];
  readonly body: string;
}
