/** Asks a running cluster to reload models documents. A module of its own, because it loads the HTTP client. */
import type { Declared } from '../../../catalogue/declare/declare.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import type { FoundCluster } from '../frame/find-cluster.ts';
import { OperatorPort, type OperatorReply } from '../frame/operator-port.ts';

/** A refresh may fetch documents from slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;

/** Sent to the first node that answers; any node may load any document. @throws ConfigError */
export async function refreshModels(
  { nodes, token }: FoundCluster,
  provider: string | undefined,
): Promise<readonly Declared[]> {
  const port = new OperatorPort(token);
  const call = { method: 'POST', path: '/api/models/refresh', body: JSON.stringify({ provider }) } as const;
  let unreached = 'no node of this cluster serves now';
  try {
    for (const { operatorUrl, name } of nodes) {
      if (operatorUrl === null) continue;
      const reply = await port.send(operatorUrl, call, REFRESH_MS_MAX).catch((error: unknown) => {
        unreached = `node ${name} does not answer (${lineOf(error)}); try again`;
      });
      if (reply) return declaredIn(reply);
    }
  } finally {
    await port.close();
  }
  throw new ConfigError(unreached);
}

function declaredIn({ body, refusal }: OperatorReply): readonly Declared[] {
  if (refusal !== null) throw new ConfigError(refusal);
  return (body as { readonly data: readonly Declared[] }).data;
}
