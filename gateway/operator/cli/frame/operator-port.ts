/** Calls the operator port of nodes. A module of its own, because it loads the HTTP client. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import { outboundUrl } from '../../../outbound/outbound.ts';
import { Pools } from '../../../outbound/pools.ts';

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
  async call(operatorUrl: string, { method, path, body }: OperatorCall): Promise<OperatorReply | null> {
    const json = body === undefined ? [] : ['content-type', 'application/json'];
    try {
      const reply = await this.#outbound.send({
        ...{ method, url: outboundUrl(operatorUrl, path), body: body ?? null },
        headers: ['authorization', `Bearer ${this.#token}`, 'accept', 'application/json', ...json],
        limits: {
          ...{ connectMs: CONNECT_MS, firstByteMs: ANSWER_MS, idleMs: ANSWER_MS, totalMs: ANSWER_MS },
          bodyBytesMax: REPLY_BYTES_MAX,
        },
      });
      return { status: reply.status, body: JSON.parse(await reply.body.text()) };
    } catch {
      return null;
    }
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }
}
