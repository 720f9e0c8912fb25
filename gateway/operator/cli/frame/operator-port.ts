/** Calls the operator port of nodes, one call at a time. A module of its own, because it loads the HTTP client. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import { outboundUrl } from '../../../outbound/outbound.ts';
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { Pools } from '../../../outbound/pools.ts';
import { tlsTo } from './cluster-tls.ts';
import type { FoundCluster } from './find-cluster.ts';

const CONNECT_MS = 2_000;
/** An actor may answer after a takeover of its shard. */
export const ANSWER_MS = 15_000;
/** Of one page of a list, and of an inspected actor. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024;

export interface OperatorCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface OperatorReply {
  readonly status: number;
  readonly text: string;
}

export class OperatorPort {
  readonly #outbound: Pools;
  readonly #token: string;

  private constructor(token: string, outbound: Pools) {
    [this.#token, this.#outbound] = [token, outbound];
  }

  static async open(found: Pick<FoundCluster, 'nodes' | 'names' | 'token'>): Promise<OperatorPort> {
    const tls = await tlsTo(found);
    const outbound = new Pools({
      lease: NO_NODE,
      clock: systemClock,
      connectionsPerOriginMax: 1,
      connectMs: CONNECT_MS,
      tls,
    });
    return new OperatorPort(found.token, outbound);
  }

  /** Null: the node does not answer. */
  async call(operatorUrl: string, call: OperatorCall): Promise<OperatorReply | null> {
    try {
      return await this.send(operatorUrl, call, ANSWER_MS);
    } catch (error) {
      if (error instanceof OutboundError) return null;
      throw error;
    }
  }

  /** Throws OutboundError if the node does not answer within the time. */
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
    return { status: reply.status, text: await reply.body.text() };
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }
}
