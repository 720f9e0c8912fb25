/** Calls the operator port of nodes. A module of its own, because it loads the HTTP client. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import { outboundUrl } from '../../../outbound/outbound.ts';
import { Pools } from '../../../outbound/pools.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import type { FoundCluster } from './find-cluster.ts';

const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

export interface OperatorCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface OperatorReply {
  readonly status: number;
  readonly body: unknown;
  /** Why the node refused the call, in its words; null for a 200. */
  readonly refusal: string | null;
}

export class OperatorPort {
  readonly #outbound = new Pools({
    lease: NO_NODE,
    clock: systemClock,
    connectionsPerOriginMax: 1,
    connectMs: CONNECT_MS,
  });
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** Null: the node does not answer. */
  call(operatorUrl: string, call: OperatorCall): Promise<OperatorReply | null> {
    return this.send(operatorUrl, call, ANSWER_MS).catch(() => null);
  }

  /** Throws if the node does not answer within the time. */
  async send(operatorUrl: string, { method, path, body }: OperatorCall, withinMs: number): Promise<OperatorReply> {
    const json = body === undefined ? [] : ['content-type', 'application/json'];
    const reply = await this.#outbound.send({
      method,
      url: outboundUrl(operatorUrl, path),
      body: body ?? null,
      headers: ['authorization', `Bearer ${this.#token}`, 'accept', 'application/json', ...json],
      limits: {
        connectMs: CONNECT_MS,
        firstByteMs: withinMs,
        idleMs: withinMs,
        totalMs: withinMs,
        bodyBytesMax: REPLY_BYTES_MAX,
      },
    });
    const { status } = reply;
    const answer: unknown = JSON.parse(await reply.body.text());
    return { status, body: answer, refusal: status === 200 ? null : refusalIn(status, answer) };
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }
}

function refusalIn(status: number, body: unknown): string {
  const { error } = body as { readonly error?: { readonly message: string } };
  return error?.message ?? `the node answered ${status}; see its log`;
}

/** What the nodes that answer with 200 say of a path, in the order of `nodes`. */
export async function callOperators(
  nodes: readonly { readonly operatorUrl: string }[],
  token: string,
  path: string,
): Promise<readonly unknown[]> {
  const port = new OperatorPort(token);
  try {
    const replies = await Promise.all(nodes.map(({ operatorUrl }) => port.call(operatorUrl, { method: 'GET', path })));
    return replies.flatMap((reply) => (reply?.status === 200 ? [reply.body] : []));
  } finally {
    await port.close();
  }
}

/** Calls the operator API of the first node that answers. @throws ConfigError with the words of a refusal */
export async function callOperator<T>(
  { nodes, token }: Pick<FoundCluster, 'nodes' | 'token'>,
  call: OperatorCall,
  withinMs = ANSWER_MS,
): Promise<T> {
  const port = new OperatorPort(token);
  let unreached = 'no node of this cluster serves now';
  try {
    for (const { operatorUrl, name } of nodes) {
      if (operatorUrl === null) continue;
      const reply = await port.send(operatorUrl, call, withinMs).catch((error: unknown) => {
        unreached = `node ${name} does not answer (${lineOf(error)}); try again`;
      });
      if (reply?.refusal) throw new ConfigError(reply.refusal);
      if (reply) return reply.body as T;
    }
  } finally {
    await port.close();
  }
  throw new ConfigError(unreached);
}
