/** An operator port over a cluster of which only what a test gives exists, and requests to it. */
import type { Cluster } from '../../../actors/runtime/index.ts';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { OperatorRoute } from '../../../gateway/operator/http/operator-route.ts';
import { type OperatorServer, openOperatorServer } from '../../../gateway/operator/http/server.ts';
import { OperatorSessions } from '../../../gateway/operator/http/sessions.ts';
import { eventually } from '../../support/eventually.ts';
import { rawExchange } from '../../support/raw-exchange.ts';

export const TOKEN = 'operator-token';
export const VIEWER_TOKEN = 'viewer-token';
export const TOKENS = { operator: TOKEN, viewer: VIEWER_TOKEN };
/** What the clock of sessions says; a test may move it. */
export const wall = { ms: 1_000_000 };
export const SESSIONS = new OperatorSessions(TOKENS, { now: () => wall.ms });

export interface Port {
  readonly url: string;
  /** Null: the node starts. */
  cluster: Cluster | null;
  /** What the port logged. */
  readonly logged: string[];
  close(): void;
}

export async function openPort(routes: readonly OperatorRoute[]): Promise<Port> {
  const logged: string[] = [];
  const port = { cluster: null as Cluster | null, logged };
  const server: OperatorServer = await openOperatorServer('127.0.0.1', 0, {
    cluster: () => port.cluster,
    routes,
    tokens: TOKENS,
    sessions: SESSIONS,
    clock: systemClock,
    log: (_, error) => logged.push(String(error)),
  });
  return Object.assign(port, server);
}

/** A cluster that has these members and throws for any other. */
export function clusterOf(members: object): Cluster {
  return { self: { name: 'n1', incarnation: 'i1' }, now: () => 1_000, ...members } as unknown as Cluster;
}

/** Status and body of the answer to one request, with its target sent unchanged. */
export async function answerTo(
  { url }: Port,
  method: string,
  target: string,
  { token = TOKEN, body = '' }: { readonly token?: string | null; readonly body?: string } = {},
): Promise<string> {
  const credential = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const bytes = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${credential}${length}\r\n${body}`;
  const answer = await rawExchange(url, bytes);
  return `${answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)} ${answer.split('\r\n\r\n')[1]?.trim()}`;
}

/** Waits for a condition. */
export function until(holds: () => boolean): Promise<void> {
  return eventually(async () => {
    if (!holds()) throw new Error(`still waiting for ${holds}`);
  });
}
