import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Clock } from '../../actors/runtime/index.ts';
import { HolderPlaces } from '../overload/holder-places.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { ClientAddresses, clientAddress } from './client-addresses.ts';
import { answerClientError } from './client-error.ts';
import { ClientConnection, type ContextOf } from './connection.ts';
import type { HttpExchange, RefusalAnswer } from './exchange.ts';
import { type Head, malformed, readHead } from './head.ts';
import { boundLinger } from './linger.ts';
import { upgradableRequest } from './upgrade.ts';
import { writeAnswer } from './write-answer.ts';

type ListenerLimits = Pick<
  EdgeLimits,
  | 'bodyBytesPerSecondMin'
  | 'bodyGraceMs'
  | 'connectionsMax'
  | 'connectionsPerAddressMax'
  | 'drainGraceMs'
  | 'drainIdleMs'
  | 'headerBytesMax'
  | 'headersMax'
  | 'headersTimeoutMs'
  | 'idleTimeoutMs'
  | 'requestTimeoutMs'
  | 'trustedProxies'
>;

export interface ListenerOptions<Context extends HttpExchange<Context>> {
  readonly limits: ListenerLimits;
  readonly clock: Clock;
  /** Called for each connection. */
  readonly contexts: () => ContextOf<Context>;
  /** Answers a request. */
  readonly serve: (context: Context) => void;
  /** The answer to a request that is not served; `context` is null where the parser refused its head. */
  readonly refusal: (error: GatewayError, context: Context | null) => RefusalAnswer;
  /** The answer to a request has ended. */
  readonly ended?: (context: Context) => void;
  /** Absent: the port takes plain connections. */
  readonly tls?: TlsOptions | undefined;
  /** True where a request may go on as a WebSocket; absent: nowhere. */
  readonly upgrades?: (request: IncomingMessage) => boolean;
}

/** Interval at which Node checks for late requests. */
const LATE_CHECK_MS = 1_000;
const SETTLED_CHECK_MS = 50;
/** The status under which an upgrade is counted. */
const SWITCHING = 101;

/**
 * An HTTP server with every limit given. It accepts connections on its own port or from a launcher, creates the context
 * of each request before anything can fail, and answers malformed requests with the refusals that it is given.
 * (rule E21, rule E27)
 */
export class Listener<Context extends HttpExchange<Context>> {
  readonly server: Server;
  readonly #options: ListenerOptions<Context>;
  readonly #connections = new Map<Socket, ClientConnection<Context>>();
  readonly #places: HolderPlaces;
  readonly #clients: ClientAddresses;
  readonly #port: SocketServer;
  readonly #answers = new Map<number, number>();
  #draining = false;
  #underWay = 0;
  #refused = 0;

  constructor(options: ListenerOptions<Context>) {
    this.#options = options;
    this.#clients = new ClientAddresses(options.limits.trustedProxies);
    const { limits } = options;
    this.#places = new HolderPlaces(limits.connectionsPerAddressMax);
    this.#port = this.#open(options);
    this.server = createServer({
      IncomingMessage: upgradableRequest(options.upgrades ?? nowhere),
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: LATE_CHECK_MS,
      insecureHTTPParser: false,
      requireHostHeader: false,
      joinDuplicateHeaders: false,
    });
    this.server.maxHeadersCount = 0;
    this.server.timeout = 0;
    this.server.on('request', (request, response) => this.#arrive(request, response));
    this.server.on('checkContinue', (request, response) => this.#arrive(request, response, true));
    this.server.on('checkExpectation', (request, response) => this.#arrive(request, response));
    this.server.on('upgrade', (request, socket, head) => this.#offer(request, socket as Socket, head));
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => this.#refuseConnect(request, socket));
    this.server.on('clientError', (error, socket) => this.#clientError(error, socket as Socket));
    // Node checks for late requests only on a listening server; this one receives its connections from elsewhere.
    this.server.emit('listening');
  }

  #open({ tls, limits }: ListenerOptions<Context>): SocketServer {
    const sockets = { noDelay: true, keepAlive: true, allowHalfOpen: true };
    const accept = (socket: Socket): void => this.accept(socket);
    if (tls === undefined) return createSocketServer(sockets, accept);
    const port = createTlsServer({ ...tls, ...sockets, handshakeTimeout: limits.headersTimeoutMs }, accept);
    // Connections in the handshake count too.
    port.maxConnections = limits.connectionsMax;
    return port;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Connections closed unread so far because a connection bound was reached. */
  get refused(): number {
    return this.#refused;
  }

  /** Answers so far, by status. */
  get answers(): ReadonlyMap<number, number> {
    return this.#answers;
  }

  /** Requests under way. */
  get underWay(): number {
    return this.#underWay;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Serves a connection. Beyond the bound on connections, or the bound per address, the connection is closed unread.
   * The address is the socket's; headers come later.
   */
  accept(socket: Socket): void {
    const address = clientAddress(socket.remoteAddress);
    const { limits } = this.#options;
    // The connections of a proxy are those of many clients, and are bounded together with all others.
    const isBounded = !this.#clients.isProxy(socket.remoteAddress);
    if (this.#connections.size >= limits.connectionsMax || (isBounded && !this.#places.take(address))) {
      this.#refused++;
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const connection = new ClientConnection(socket, this.#options.clock.monotonic(), this.#options.contexts());
    this.#connections.set(socket, connection);
    const closeNow = socket.destroySoon.bind(socket);
    // Node calls this after an answer with `Connection: close`, also while the request is still arriving.
    socket.destroySoon = () => {
      if (connection.current?.request.complete !== false) return closeNow();
      connection.lingers = true;
      socket.end();
    };
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (isBounded) this.#places.leave(address);
      connection.end();
    });
    this.server.emit('connection', socket);
  }

  /** Listens on a port of its own; port 0 takes a free one. Resolves with `http://host:port`, or `https:` with TLS. */
  listen(host: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#port.once('error', reject);
      this.#port.listen(port, host, () => {
        this.#port.off('error', reject);
        const at = this.#port.address() as AddressInfo;
        const scheme = this.#options.tls === undefined ? 'http' : 'https';
        resolve(`${scheme}://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`);
      });
    });
  }

  /**
   * Stops accepting and lets running requests end: answers close their connection, and an idle connection is closed
   * after `drainIdleMs` without a request. Resolves when no connection is left, or at the end of the grace period.
   */
  drain(): Promise<void> {
    const { clock, limits } = this.#options;
    this.#draining = true;
    if (this.#port.listening) this.#port.close();
    const endsAt = clock.monotonic() + limits.drainGraceMs;
    return new Promise((resolve) => {
      const check = (): void => {
        const now = clock.monotonic();
        for (const { socket, idleSince, lingers, session } of this.#connections.values()) {
          if (session !== null) session.drain();
          else if (!lingers && idleSince !== null && now - idleSince >= limits.drainIdleMs) socket.destroy();
        }
        if (this.#connections.size === 0 || now >= endsAt) resolve();
        else clock.after(SETTLED_CHECK_MS, check);
      };
      check();
    });
  }

  /** Drops every connection. */
  close(): void {
    this.#draining = true;
    if (this.#port.listening) this.#port.close();
    for (const { socket } of this.#connections.values()) socket.destroy();
    this.server.close(() => {});
  }

  #arrive(
    request: IncomingMessage,
    response: ServerResponse,
    expects = false,
    upgrade: HttpExchange<Context>['upgrade'] = null,
  ): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) throw new Error('a request arrived on a connection that was not accepted');
    if (connection.lingers) {
      // The connection's last answer was sent; a request behind it is never served.
      request.socket.destroy();
      return;
    }
    const head = readHead(request);
    const invite = expects ? () => response.writeContinue() : null;
    const startedAt = this.#options.clock.monotonic();
    const context = this.#begin(connection, { request, response, startedAt, invite, upgrade }, head);
    if (this.#draining) response.shouldKeepAlive = false;
    const violation = this.#violationOf(request, head, expects);
    if (violation === null) this.#options.serve(context);
    else this.#refuse(context, violation);
  }

  #begin(connection: ClientConnection<Context>, exchange: HttpExchange<Context>, head: Head): Context {
    const context = connection.contextOf(exchange, head);
    this.#track(connection, context);
    return context;
  }

  #refuse(context: Context, error: GatewayError): void {
    const { response } = context;
    response.shouldKeepAlive = false;
    const { status, headers, body } = this.#options.refusal(error, context);
    writeAnswer(response, status, headers, body);
  }

  /**
   * Serves the offer of a WebSocket as a request: its handler takes the connection, or a refusal is answered and closes
   * it. The parser has let go of the connection, so the response is given to it here.
   */
  #offer(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) throw new Error('an upgrade arrived on a connection that was not accepted');
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('error', () => socket.destroy());
    const end = (): void => {
      response.detachSocket(socket);
      response.emit('close');
    };
    response.once('finish', () => {
      end();
      socket.destroySoon();
    });
    this.#arrive(request, response, false, {
      socket,
      head,
      adopt: (session) => {
        connection.session = session;
        response.statusCode = SWITCHING;
        end();
      },
      begin: (frame, response) => {
        const startedAt = this.#options.clock.monotonic();
        const exchange = { request: frame, response, startedAt, invite: null, upgrade: null };
        return this.#begin(connection, exchange, readHead(request));
      },
    });
  }

  #clientError(error: Error & { readonly code?: string }, socket: Socket): void {
    const connection = this.#connections.get(socket) ?? null;
    // After its last answer a connection may send anything: it is dropped.
    if (connection?.lingers) return;
    answerClientError(error, socket, { ...this.#options, connection });
  }

  #track(connection: ClientConnection<Context>, context: Context): void {
    const { request, response } = context;
    this.#underWay++;
    connection.begin(context);
    response.on('close', () => {
      if (!connection.settle(context, this.#options.clock.monotonic())) return;
      this.#underWay--;
      this.#answers.set(response.statusCode, (this.#answers.get(response.statusCode) ?? 0) + 1);
      this.#options.ended?.(context);
      if (response.writableFinished && !request.complete && !request.destroyed) this.#dropUpload(connection, request);
    });
  }

  /** Drops the rest of a refused upload, within bounds, so that the client can read the response. */
  #dropUpload(connection: ClientConnection<Context>, request: IncomingMessage): void {
    const { socket } = request;
    const stop = boundLinger(socket, this.#options.clock, this.#options.limits);
    request.once('end', () => {
      stop();
      // The connection may stay open and must not accumulate one listener per refused upload.
      socket.off('close', stop);
      if (connection.lingers) socket.destroy();
    });
    socket.once('close', stop);
  }

  #violationOf(request: IncomingMessage, head: Head, expects: boolean): GatewayError | null {
    if (request.headers.expect !== undefined && !expects) {
      return new GatewayError({ status: 417, type: 'invalid_request', message: 'The expectation cannot be met' });
    }
    return malformed(request, head, this.#options.limits.headersMax);
  }

  #refuseConnect(request: IncomingMessage, socket: Socket): void {
    const error = Object.assign(new Error(`${request.method} is not served`), { code: 'METHOD' });
    const connection = this.#connections.get(socket) ?? null;
    answerClientError(error, socket, { ...this.#options, connection });
  }
}

function nowhere(): boolean {
  return false;
}
