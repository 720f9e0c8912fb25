import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AskError, type Cluster, parseAddress } from '../../../actors/runtime/index.ts';
import { changePause, PAUSE_REASON_MAX } from '../../../actors/terms/pause.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';
import type { Declared } from '../../catalogue/declare/declare.ts';
import { HttpRouter, type RouteAddress } from '../../http/http-router.ts';
import { writeAnswer } from '../../http/write-answer.ts';
import type { ServingState } from '../../terms/serving-state.ts';
import { explained } from '../explained.ts';
import { findAddress, kindOfId } from '../find-address.ts';

export interface OperatorServerOptions {
  /** Null while the node starts. */
  readonly cluster: () => Cluster | null;
  /** The bearer token of every route except health and readiness. */
  readonly token: string;
  /** The text of a scrape, and its media type. */
  readonly metrics: (cluster: Cluster) => Promise<{ readonly type: string; readonly body: string }>;
  /** The newest refused requests of an account at this node. */
  readonly refused: (account: string) => readonly Omit<RefusedRequest, 'node'>[];
  /** True while the node serves requests: ready, connected, not draining. */
  readonly readiness: () => ServingState;
  /** Reloads models documents of one provider, or of all; null for a provider that is not declared. */
  readonly refreshModels: (provider: string | null) => Promise<readonly Declared[] | null>;
  /** The configuration that the node runs with, without passwords. */
  readonly config: () => object;
  /** Why the node could not run with this configuration, as one line; null if it can. */
  readonly checkConfig: (value: unknown) => Promise<string | null>;
  readonly log: (message: string, error: unknown) => void;
}

export interface OperatorServer {
  readonly url: string;
  close(): Promise<void>;
}

const HEADER_BYTES_MAX = 8 * 1024;
const REQUEST_MS_MAX = 5_000;
/** Of a configuration with its models documents. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const PAUSE_MS = 4_000;
/** The principal of a change over this port, which takes the operator's token. */
const PORT: Principal = { kind: 'operator', id: 'operator port' };

/**
 * The operator HTTP server of one node. It never sends an actor a message that the node would not send on its own.
 * (rule E32)
 */
export function openOperatorServer(
  host: string,
  port: number,
  options: OperatorServerOptions,
): Promise<OperatorServer> {
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: REQUEST_MS_MAX },
    (request, response) => {
      answer(request, options).then(
        (reply) => send(response, reply),
        (error: unknown) => {
          options.log('an operator request failed', error);
          send(response, json(500, { error: 'Internal Server Error' }));
        },
      );
    },
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const at = server.address() as AddressInfo;
      const name = at.family === 'IPv6' ? `[${at.address}]` : at.address;
      resolve({ url: `http://${name}:${at.port}`, close: () => closeServer(server) });
    });
  });
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

interface OpenRoute extends RouteAddress {
  readonly policy: 'open';
  readonly answer: (options: OperatorServerOptions) => Reply;
}

interface TokenRoute extends RouteAddress {
  readonly policy: 'token';
  readonly answer: (request: OperatorRequest) => Reply | Promise<Reply>;
}

/** An authenticated request to a node that has started. */
interface OperatorRequest {
  readonly cluster: Cluster;
  readonly query: URLSearchParams;
  /** Its body as text; null if it is longer than `BODY_BYTES_MAX`. */
  readonly body: () => Promise<string | null>;
  readonly options: OperatorServerOptions;
}

/**
 * `/inspect` and `/why` take `?address=kind:owner/local`, or an id alone; `/models/refresh` takes `?provider=slug` for one provider.
 * `/pause` and `/resume` take `?address=provider:slug` or `endpoint:ep_...`, and `/pause` a `reason`.
 */
const ROUTES: readonly (OpenRoute | TokenRoute)[] = [
  { method: 'GET', path: '/health', policy: 'open', answer: () => json(200, { status: 'ok' }) },
  { method: 'GET', path: '/ready', policy: 'open', answer: ready },
  { method: 'GET', path: '/metrics', policy: 'token', answer: metrics },
  {
    method: 'GET',
    path: '/ps',
    policy: 'token',
    answer: async ({ cluster }) => json(200, await cluster.operator.ps()),
  },
  {
    method: 'GET',
    path: '/inspect',
    policy: 'token',
    answer: (request) => inspect(request, inspection),
  },
  { method: 'GET', path: '/why', policy: 'token', answer: (request) => inspect(request, reasons) },
  { method: 'GET', path: '/config', policy: 'token', answer: config },
  { method: 'POST', path: '/config/check', policy: 'token', answer: checkConfig },
  { method: 'GET', path: '/refused', policy: 'token', answer: refused },
  {
    method: 'POST',
    path: '/pause',
    policy: 'token',
    answer: (request) => pause(request, request.query.get('reason')?.trim() ?? ''),
  },
  { method: 'POST', path: '/resume', policy: 'token', answer: (request) => pause(request, null) },
  { method: 'POST', path: '/models/refresh', policy: 'token', answer: refresh },
];

const router = new HttpRouter(ROUTES);

const NOT_FOUND = json(404, { error: 'Not found' });

/**
 * Every request takes this order: route, token, node, handler. Without the token a GET does not reveal which paths
 * exist.
 */
async function answer(request: IncomingMessage, options: OperatorServerOptions): Promise<Reply> {
  const { method = '', url: target = '/', headers } = request;
  // Resolves dot segments and absolute targets.
  if (!URL.canParse(target, ORIGIN)) return NOT_FOUND;
  const { pathname, searchParams: query } = new URL(target, ORIGIN);
  const route = router.find(method, pathname)?.route;
  if (route?.policy === 'open') return route.answer(options);
  if (route === undefined && method !== 'GET') return NOT_FOUND;
  if (!permitted(headers.authorization, options.token)) {
    return json(401, { error: 'Missing or invalid operator token' });
  }
  const cluster = options.cluster();
  if (cluster === null) return json(503, { error: 'The node is starting' });
  return route === undefined ? NOT_FOUND : route.answer({ cluster, query, body: () => bodyOf(request), options });
}

const ORIGIN = 'http://operator';

function ready({ readiness }: OperatorServerOptions): Reply {
  const status = readiness();
  return json(status === 'ready' ? 200 : 503, { status });
}

async function metrics({ cluster, options }: OperatorRequest): Promise<Reply> {
  return { status: 200, ...(await options.metrics(cluster)) };
}

function config({ cluster, options }: OperatorRequest): Reply {
  const { name, incarnation } = cluster.self;
  return json(200, { node: name, incarnation, state: options.readiness(), config: options.config() });
}

async function checkConfig({ body, options }: OperatorRequest): Promise<Reply> {
  const text = await body();
  if (text === null) return json(413, { error: `a configuration has at most ${BODY_BYTES_MAX} bytes` });
  try {
    return json(200, { fault: await options.checkConfig(JSON.parse(text)) });
  } catch (error) {
    if (error instanceof SyntaxError) return json(400, { error: 'the body must be JSON' });
    throw error;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** `?account=account:acct_...` */
function refused({ query, options }: OperatorRequest): Reply {
  return json(200, { data: options.refused(query.get('account') ?? '') });
}

async function refresh({ query, options }: OperatorRequest): Promise<Reply> {
  if (options.readiness() !== 'ready') return json(503, { error: `The node is ${options.readiness()}` });
  const provider = query.get('provider');
  const declared = await options.refreshModels(provider);
  return declared === null
    ? json(404, { error: `no provider ${provider} is declared` })
    : json(200, { data: declared });
}

/** A null reason resumes. */
async function pause({ cluster, query }: OperatorRequest, reason: string | null): Promise<Reply> {
  const address = query.get('address') ?? '';
  if (!/^(?:provider|endpoint):[^/]+$/.test(address) || parseAddress(address) === null) {
    return json(400, { error: 'address must be provider:slug or endpoint:ep_...' });
  }
  if (reason === '' || (reason?.length ?? 0) > PAUSE_REASON_MAX) {
    return json(400, { error: `reason must have 1 to ${PAUSE_REASON_MAX} characters` });
  }
  try {
    return json(200, { address, ...(await changePause(cluster, address, reason, { by: PORT, withinMs: PAUSE_MS })) });
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    const { code } = error.failure;
    return code === 'absent'
      ? json(404, { error: `${address} is absent` })
      : json(503, { error: `${address} cannot answer now (${code}); ask again` });
  }
}

async function inspection({ operator }: Cluster, name: string): Promise<object | null> {
  const address = await findAddress(operator, name);
  return address === null ? null : operator.inspect(address);
}

async function reasons({ operator }: Cluster, name: string): Promise<object | null> {
  const found = await explained(operator, name);
  return found && { address: found.address, state: found.state, why: found.explanation };
}

async function inspect(
  { cluster, query }: OperatorRequest,
  look: (cluster: Cluster, name: string) => Promise<object | null>,
): Promise<Reply> {
  const name = query.get('address') ?? '';
  if (parseAddress(name) === null && kindOfId(name) === null) {
    return json(400, { error: 'address must be kind:owner or kind:owner/local, or an id such as batch_...' });
  }
  const found = await look(cluster, name);
  return found === null ? json(404, { error: `${name} is absent` }) : json(200, found);
}

/** Compares digests, so that the duration reveals neither length nor content of the token. */
function permitted(authorization: string | undefined, token: string): boolean {
  if (!authorization?.startsWith('Bearer ')) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.slice('Bearer '.length)), digest(token));
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  const headers = ['content-type', type, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  writeAnswer(response, status, headers, body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
