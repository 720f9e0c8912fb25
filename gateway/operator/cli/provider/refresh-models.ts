/** Asks a running cluster to reload models documents. A module of its own, because it loads the HTTP client. */
import type { Declared } from '../../../catalogue/declare/declare.ts';
import type { FoundCluster } from '../frame/find-cluster.ts';
import { callOperator } from '../frame/operator-port.ts';

/** A refresh may fetch documents from slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;

/** Sent to the first node that answers; any node may load any document. @throws ConfigError */
export async function refreshModels(found: FoundCluster, provider: string | undefined): Promise<readonly Declared[]> {
  const call = { method: 'POST', path: '/api/models/refresh', body: JSON.stringify({ provider }) } as const;
  return (await callOperator<{ readonly data: readonly Declared[] }>(found, call, REFRESH_MS_MAX)).data;
}
