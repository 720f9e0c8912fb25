/** Reads one path of the operator port of several nodes. */
import { OperatorPort } from './operator-port.ts';

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
  const port = new OperatorPort(token);
  try {
    const replies = await Promise.all(
      nodes.map(async ({ name, operatorUrl }): Promise<readonly OperatorAnswer[]> => {
        const reply = await port.call(operatorUrl, { method: 'GET', path });
        return reply?.status === 200 ? [{ node: name, body: reply.body }] : [];
      }),
    );
    return replies.flat();
  } finally {
    await port.close();
  }
}
