import { Readable } from 'node:stream';
import type { Client } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { type Clock, Slab } from '../../actors/runtime/index.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange, type ExchangeParts } from './exchange.ts';
import { type Lease, WITHOUT_LEASE, waitForLease } from './lease.ts';
import { type ClusterTls, dialled } from './mutual-tls.ts';
import { Origin } from './origin.ts';
import type { Outbound, OutboundCall, OutboundReply } from './outbound.ts';
import { OutboundError } from './outbound-error.ts';

/** Only declared providers are called, so more origins than this is a configuration error. */
const ORIGINS_MAX = 1_024;
/** Open calls per origin, as a multiple of its connections: calls without a connection wait for one. */
const WAITING_FACTOR = 2;
const HEADER_BYTES_MAX = 64 * 1024;
/** Shorter where the server announces less. A connection that closes while a call is sent on it costs one retry. */
const KEEP_ALIVE_MS = 30_000;

export interface PoolOptions {
  readonly clock: Clock;
  readonly connectionsPerOriginMax: number;
  /** Of the connection attempt itself; a call's own limit may be shorter. */
  readonly connectMs: number;
  /** Of this node; no call begins while it does not hold. */
  readonly lease: Lease;
  /** Absent: a server proves itself by the authorities of the system, and asks for nothing. */
  readonly tls?: ClusterTls | undefined;
}

/**
 * The HTTP client of Troupe, over undici: one bounded pool of keep-alive connections per origin, one request per
 * connection at a time. Never follows a redirect, never uses a proxy from the environment. A node without its lease
 * begins no call: another node may have finished that work. (rule N33)
 */
export class Pools implements Outbound {
  readonly #options: PoolOptions;
  readonly #parts: ExchangeParts;
  readonly #origins = new Map<string, Origin>();
  readonly #open = new Slab<Exchange>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { clock, lease } = options;
    this.#parts = { clock, deadlines: new Deadlines(clock), lease };
  }

  /** Open calls, for gauges and tests. */
  get underWay(): number {
    return this.#open.size;
  }

  send(call: OutboundCall): Promise<OutboundReply> {
    return this.#mayCall() ? this.#send(call) : this.#sendWithLease(call);
  }

  async #sendWithLease(call: OutboundCall): Promise<OutboundReply> {
    let isAborted = false;
    call.begun?.(() => {
      isAborted = true;
    });
    const holds = await waitForLease(this.#mayCall, this.#options.clock, call.limits.connectMs);
    if (isAborted || !holds) throw new OutboundError('aborted', WITHOUT_LEASE);
    return this.#send(call);
  }

  /** A closed client refuses by itself. */
  readonly #mayCall = (): boolean => this.#closed || this.#options.lease.connected;

  #send(call: OutboundCall): Promise<OutboundReply> {
    return new Promise((resolve, reject) => {
      const origin = this.#originOf(call.url.origin);
      if (origin === null || origin.underWay >= this.#options.connectionsPerOriginMax * WAITING_FACTOR) {
        reject(new OutboundError('saturated', `too many open calls to ${call.url.origin}`));
        return;
      }
      const exchange = new Exchange(this.#parts, call.limits, { resolve, reject }, () => {
        origin.underWay--;
        this.#open.take(place);
      });
      exchange.queued = origin.underWay >= this.#options.connectionsPerOriginMax;
      origin.underWay++;
      const place = this.#open.add(exchange);
      call.begun?.(exchange.abort);
      const { body } = call;
      const isUpload = typeof body === 'object' && body !== null;
      origin.dispatch(
        {
          method: call.method,
          path: call.url.path,
          headers: isUpload ? [...call.headers, 'content-length', String(body.length)] : (call.headers as string[]),
          body: isUpload ? Readable.from(body.chunks(), { objectMode: false }) : body,
          // The exchange bounds both, on the given clock.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        exchange,
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#open.all()) exchange.abort();
    await Promise.all([...this.#origins.values()].map((origin) => origin.destroy()));
    this.#origins.clear();
  }

  #originOf(name: string): Origin | null {
    const known = this.#origins.get(name);
    if (known) return known;
    if (this.#closed || this.#origins.size >= ORIGINS_MAX) return null;
    const { connectMs, tls } = this.#options;
    const options: Client.Options = {
      pipelining: 1,
      // One connector for all clients, because it caches the origin's TLS sessions.
      connect: buildConnector({ timeout: connectMs, allowH2: false, ...(tls && dialled(tls)) }),
      allowH2: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    };
    const origin = new Origin(name, options, this.#options.connectionsPerOriginMax);
    this.#origins.set(name, origin);
    return origin;
  }
}
