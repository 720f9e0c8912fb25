import type { IncomingMessage } from 'node:http';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import { ClientSocket } from '../../http/client-socket.ts';
import type { HttpExchange, RefusalAnswer } from '../../http/exchange.ts';
import { HttpRouter } from '../../http/http-router.ts';
import { Listener } from '../../http/listener.ts';
import { acceptUpgrade } from '../../http/upgrade.ts';
import { headerText, JSON_TYPE, writeAnswer } from '../../http/write-answer.ts';
import { type ClusterTls, presented } from '../../outbound/mutual-tls.ts';
import { faultAt } from './faults.ts';
import {
  OperatorFault,
  type OperatorRequest,
  type OperatorRoute,
  type OperatorTokens,
  PortAnswer,
  type PortSocketUser,
} from './operator-route.ts';
import { readBody, readQuery, requireText } from './read-request.ts';
import { mayShowToken, type Sender, senderOf } from './sender.ts';
import type { OperatorSessions } from './sessions.ts';

export interface OperatorServerOptions {
  /** Null while the node starts. */
  readonly cluster: () => Cluster | null;
  readonly routes: readonly OperatorRoute[];
  readonly tokens: OperatorTokens;
  readonly sessions: OperatorSessions;
  /** Of the node, with the names of all nodes; absent: the cluster uses no TLS. */
  readonly tls?: ClusterTls | undefined;
  readonly clock: Clock;
  readonly log: (message: string, error: unknown) => void;
}

export interface OperatorServer {
  readonly url: string;
  close(): void;
}

/** The bounds of a port that few people and programs use. Times in ms. */
const LIMITS = {
  bodyBytesPerSecondMin: 1_024,
  bodyGraceMs: 5_000,
  connectionsMax: 512,
  connectionsPerAddressMax: 256,
  drainGraceMs: 1_000,
  drainIdleMs: 0,
  headerBytesMax: 16 * 1024,
  headersMax: 64,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  trustedProxies: [],
} as const;

/** Of a socket. Frames of a client are patterns and acknowledgements; one acknowledges many messages. Times in ms. */
const SOCKET_LIMITS = {
  stalledMs: 30_000,
  waitingBytes: 256 * 1024,
  framesPerMinuteMax: 30_000,
  idleMs: null,
  drainIdleMs: 0,
} as const;
const FRAME_BYTES_MAX = 16 * 1024;

interface OperatorExchange extends HttpExchange<OperatorExchange> {}

/**
 * The operator HTTP server of one node. It never sends an actor a message that the node would not send on its own.
 * (rule E32)
 */
export async function openOperatorServer(
  host: string,
  port: number,
  options: OperatorServerOptions,
): Promise<OperatorServer> {
  const desk = new OperatorDesk(options);
  const listener = new Listener<OperatorExchange>({
    limits: LIMITS,
    clock: options.clock,
    tls: options.tls && { ...presented(options.tls), requestCert: true, rejectUnauthorized: false },
    contexts: () => (exchange) => exchange,
    serve: (exchange) => void desk.serve(exchange),
    upgrades: (request) => desk.mayUpgrade(request),
    refusal: ({ status, type, message }) => refusalOf(new OperatorFault(status, type, message)),
  });
  const url = await listener.listen(host, port);
  return { url, close: () => listener.close() };
}

/** Answers requests. */
class OperatorDesk {
  readonly #options: OperatorServerOptions;
  readonly #router: HttpRouter<OperatorRoute>;

  constructor(options: OperatorServerOptions) {
    this.#options = options;
    this.#router = new HttpRouter(options.routes);
  }

  async serve(exchange: OperatorExchange): Promise<void> {
    const { response } = exchange;
    try {
      const answer = await this.#answer(exchange);
      if (answer !== ADOPTED && !response.headersSent && !response.destroyed) send(exchange, wholeOf(answer));
    } catch (thrown) {
      const fault = await faultAt(this.#options.cluster(), thrown);
      if (fault.status === 500) this.#options.log('an operator request failed', thrown);
      const { status, headers, body } = refusalOf(fault);
      if (!response.headersSent && !response.destroyed) writeAnswer(response, status, headers, body);
    }
  }

  /** True for a path whose route is a WebSocket. */
  mayUpgrade({ method = '', url = '/' }: IncomingMessage): boolean {
    return this.#router.find(method, url)?.route.socket !== undefined;
  }

  /**
   * Every request takes this order: route, credential, node, role, query, body, handler. Without a credential no answer
   * reveals which paths exist.
   */
  async #answer(exchange: OperatorExchange): Promise<unknown> {
    const { request } = exchange;
    const { method = '', url = '/' } = request;
    const found = this.#router.find(method, url);
    const isOpen = found?.route.policy === 'open';
    const sender = isOpen ? NOBODY : senderOf(request, this.#options);
    const cluster = this.#options.cluster();
    if (cluster === null && !isOpen) throw new OperatorFault(503, 'starting', 'the node is starting');
    if (found === null) throw this.#noRoute(url);
    const { route, params, query } = found;
    if (route.policy === 'operator' && sender.role !== 'operator') throw notPermitted();
    for (const [name, value] of Object.entries(params)) requireText(name, value ?? '');
    const asked: OperatorRequest = {
      // An open route asks the cluster nothing.
      cluster: cluster as Cluster,
      params,
      // Who asks whether a node lives may add anything to the address.
      query: isOpen && route.query === undefined ? {} : readQuery(query, route),
      body: await readBody(exchange, route),
      ...sender,
      headers: request.headers,
      mayShowToken: mayShowToken(request, this.#options),
      signal: signalOf(exchange),
    };
    return route.socket === undefined ? route.answer(asked) : this.#upgrade(exchange, route.socket(asked));
  }

  /** Throws 426 for a request that offers no WebSocket. */
  #upgrade(exchange: OperatorExchange, user: PortSocketUser): typeof ADOPTED {
    const { clock } = this.#options;
    try {
      acceptUpgrade(exchange, FRAME_BYTES_MAX, (socket, { socket: connection }) => {
        const session = new ClientSocket(socket, connection, { clock, ...SOCKET_LIMITS }, user);
        user.bind(session);
        return session;
      });
      return ADOPTED;
    } catch (refused) {
      user.onClose();
      throw refused;
    }
  }

  #noRoute(url: string): OperatorFault {
    const methods = this.#router.methodsOf(url);
    return methods.length === 0
      ? new OperatorFault(404, 'not_found', 'no such path')
      : new OperatorFault(405, 'method_not_allowed', `this path takes ${methods.join(' and ')}`);
  }
}

/** In place of an answer: the connection is a WebSocket now. */
const ADOPTED = Symbol('adopted');

/** Of an open route. */
const NOBODY: Sender = { role: 'viewer', principal: { kind: 'operator', id: 'nobody' } };

function notPermitted(): OperatorFault {
  return new OperatorFault(403, 'forbidden', 'viewers change nothing: this needs the role operator');
}

function signalOf({ response }: OperatorExchange): AbortSignal {
  const left = new AbortController();
  response.once('close', () => left.abort());
  return left.signal;
}

function wholeOf(answer: unknown): PortAnswer {
  return answer instanceof PortAnswer ? answer : new PortAnswer({ type: JSON_TYPE, body: jsonText(answer) });
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value ?? null)}\n`;
}

function refusalOf({ status, code, message, member }: OperatorFault): RefusalAnswer {
  const challenge = status === 401 ? ['www-authenticate', 'Bearer'] : [];
  const error = { code, message, ...(member === null ? {} : { member: headerText(member) }) };
  return { status, headers: [...headersOf(JSON_TYPE, NO_STORE), ...challenge], body: jsonText({ error }) };
}

/** Of failures; nothing of this port is taken for another type. */
const NO_STORE = 'no-store';

function send({ response }: OperatorExchange, { status, type, headers, cache, body }: PortAnswer): void {
  writeAnswer(response, status, [...headersOf(type, cache), ...headers], body);
}

function headersOf(type: string, cache: string): string[] {
  return ['content-type', type, 'cache-control', cache, 'x-content-type-options', 'nosniff'];
}
