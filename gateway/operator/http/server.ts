import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Cluster, parseAddress } from '../../../actors/runtime/index.ts';
import type { Declared } from '../../catalogue/declare.ts';
import { type Measurement, renderMetrics } from './metrics.ts';

export interface OperatorServerOptions {
  /** Null while the node starts. */
  readonly cluster: () => Cluster | null;
  /** What `Authorization: Bearer` must carry, except for health and readiness. */
  readonly token: string;
  readonly measure: (cluster: Cluster) => Promise<Measurement>;
  /** True while the node takes requests: ready, connected, not draining. */
  readonly serving: () => boolean;
  /** Reads models documents anew: of one provider, or of all; null for one that is not declared. */
  readonly refreshModels: (provider: string | null) => Promise<readonly Declared[] | null>;
  readonly log: (message: string, error: unknown) => void;
}

export interface OperatorServer {
  readonly url: string;
  close(): Promise<void>;
}

const HEADER_BYTES_MAX = 8 * 1024;
const REQUEST_MS_MAX = 5_000;

/**
 * The operators' HTTP port of one node: `/health`, `/ready`, and behind the token `/metrics`, `/ps`, `/inspect`, `/why`
 * (both with `?address=kind:owner/local`), and `POST /models/refresh` (`?provider=slug` for one). It sends no actor
 * anything that this node would not send by itself. (spec: reliability, attacks 80, 84)
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

const NOT_FOUND = json(404, { error: 'Not found' });

async function answer(request: IncomingMessage, options: OperatorServerOptions): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://operator');
  const refreshes = request.method === 'POST' && url.pathname === '/models/refresh';
  if (request.method !== 'GET' && !refreshes) return NOT_FOUND;
  if (url.pathname === '/health') return json(200, { status: 'ok' });
  if (url.pathname === '/ready') {
    return options.serving() ? json(200, { status: 'ready' }) : json(503, { status: 'not ready' });
  }
  if (!permitted(request.headers.authorization, options.token)) {
    return json(401, { error: 'Missing or invalid operator token' });
  }
  const cluster = options.cluster();
  if (cluster === null) return json(503, { error: 'The node is starting' });
  if (refreshes) return refresh(url, options);
  switch (url.pathname) {
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4', body: renderMetrics(await options.measure(cluster)) };
    case '/ps':
      return json(200, await cluster.operator.ps());
    case '/inspect':
      return inspect(url, cluster, (inspection) => inspection);
    case '/why':
      return inspect(url, cluster, ({ address, state, explanation }) => ({ address, state, why: explanation }));
    default:
      return NOT_FOUND;
  }
}

async function refresh(url: URL, options: OperatorServerOptions): Promise<Reply> {
  if (!options.serving()) return json(503, { error: 'The node does not serve yet, or leaves' });
  const provider = url.searchParams.get('provider');
  const declared = await options.refreshModels(provider);
  return declared === null ? json(404, { error: `no provider is called ${provider}` }) : json(200, { data: declared });
}

type Inspected = NonNullable<Awaited<ReturnType<Cluster['operator']['inspect']>>>;

async function inspect(url: URL, cluster: Cluster, view: (found: Inspected) => unknown): Promise<Reply> {
  const address = url.searchParams.get('address') ?? '';
  if (parseAddress(address) === null) return json(400, { error: 'address must be kind:owner or kind:owner/local' });
  const found = await cluster.operator.inspect(address);
  return found === null ? json(404, { error: `${address} is absent` }) : json(200, view(found));
}

/** Compares digests, so that neither length nor content of the token shows in the time it takes. */
function permitted(authorization: string | undefined, token: string): boolean {
  if (!authorization?.startsWith('Bearer ')) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.slice('Bearer '.length)), digest(token));
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
