/** Reads one path of the operator port of several nodes. A module of its own, because it loads the HTTP client. */
import { systemClock } from '../../../actors/runtime/index.ts';
import { outboundUrl } from '../../outbound/outbound.ts';
import { Pools } from '../../outbound/pools.ts';

const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

export interface OperatorAnswer {
  readonly node: string;
  readonly body: unknown;
}

/** What the nodes that answer with 200 say, in the order of `nodes`. */
export async function callOperators(
  nodes: readonly { readonly name: string; readonly operatorUrl: string }[],
  token: string,
  path: string,
): Promise<readonly OperatorAnswer[]> {
  const outbound = new Pools({ clock: systemClock, connectionsPerOriginMax: 1, connectMs: CONNECT_MS });
  const limits = {
    ...{ connectMs: CONNECT_MS, firstByteMs: ANSWER_MS, idleMs: ANSWER_MS, totalMs: ANSWER_MS },
    bodyBytesMax: REPLY_BYTES_MAX,
  };
  try {
    const answers = await Promise.all(
      nodes.map(async ({ name, operatorUrl }): Promise<readonly OperatorAnswer[]> => {
        try {
          const headers = ['authorization', `Bearer ${token}`, 'accept', 'application/json'];
          const url = outboundUrl(operatorUrl, path);
          const reply = await outbound.send({ method: 'GET', url, headers, body: null, limits });
          const text = await reply.body.text();
          return reply.status === 200 ? [{ node: name, body: JSON.parse(text) }] : [];
        } catch {
          return [];
        }
      }),
    );
    return answers.flat();
  } finally {
    await outbound.close();
  }
}
