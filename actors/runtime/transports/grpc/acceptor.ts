import { createServer, type Server, type Socket } from 'node:net';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Connections that have not proven the cluster secret or the operator's token; beyond it the oldest one is closed. */
export const STRANGERS_MAX = 64;
/** How long a connection may take to prove it. */
const STRANGER_MS = 10_000;

/** One accepted connection. */
interface Stranger {
  readonly socket: Socket;
  readonly stopWaiting: Cancel;
}

/**
 * Accepts the connections of a node's gRPC port and bounds those of strangers: the oldest makes room for the newest, so
 * that connections that are held open keep no node out, whose proof takes milliseconds.
 */
export class Acceptor {
  readonly #clock: Clock;
  readonly #server: Server;
  /** By peer, `address:port`; the oldest first. */
  readonly #strangers = new Map<string, Stranger>();
  readonly #open = new Set<Socket>();

  /** `serve` serves a connection. */
  constructor(clock: Clock, serve: (socket: Socket) => void) {
    this.#clock = clock;
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      this.#accept(socket);
      serve(socket);
    });
  }

  get strangers(): number {
    return this.#strangers.size;
  }

  /** Resolves with the bound port; rejects where it cannot listen. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        const at = this.#server.address();
        resolve(typeof at === 'object' && at !== null ? at.port : port);
      });
    });
  }

  /** The connection of this peer, as gRPC names it, has proven that it belongs to the cluster. */
  trust(peer: string): void {
    this.#strangers.get(peer)?.stopWaiting();
    this.#strangers.delete(peer);
  }

  /** Stops listening and drops every connection. */
  close(): void {
    if (this.#server.listening) this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #accept(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const stopWaiting = this.#clock.after(STRANGER_MS, () => socket.destroy());
    this.#open.add(socket);
    this.#strangers.set(peer, { socket, stopWaiting });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#strangers.get(peer)?.socket === socket) this.trust(peer);
    });
    if (this.#strangers.size <= STRANGERS_MAX) return;
    for (const { socket: oldest } of this.#strangers.values()) {
      oldest.destroy();
      return;
    }
  }
}
