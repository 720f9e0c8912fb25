/** `troupe accounts refused`: the newest refused requests of an account, from every node. Loads the HTTP client late. */
import type { RefusedRequest } from '../../terms/measures.ts';
import { ConfigError } from '../config/config-error.ts';
import { findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom } from './names.ts';
import { table } from './print.ts';
import { ASK_MS, withSession } from './session.ts';

export interface RefusedAtNode extends RefusedRequest {
  readonly node: string;
}

/** Newest first. @throws ConfigError if the account is absent, or no node answers. */
export async function refusedRequests(text: string, options: GlobalOptions): Promise<readonly RefusedAtNode[]> {
  const account = accountFrom(text);
  const { token } = await findCluster(options);
  const nodes = await withSession(options, async ({ operator, cluster }) => {
    const { showAccount } = await import('../../../actors/account/account.ts');
    await showAccount(cluster, account, ASK_MS);
    return (await operator.ps()).nodes.filter(({ live }) => live);
  });
  const { callOperators } = await import('./call-operators.ts');
  const path = `/refused?account=${encodeURIComponent(account)}`;
  const answers = await callOperators(nodes, token, path);
  if (answers.length === 0) throw new ConfigError('no node of this cluster answers now; try again');
  return answers
    .flatMap(({ node, body }) => (body as { data: RefusedRequest[] }).data.map((refused) => ({ ...refused, node })))
    .sort((a, b) => b.at - a.at);
}

export function renderRefused(found: readonly RefusedAtNode[]): string {
  if (found.length === 0) return 'no request of this account was refused since the nodes started';
  const rows = found.map(({ at, status, type, route, generation, node, message }) => [
    ...[new Date(at).toISOString(), String(status), type, route ?? '', generation, node, message],
  ]);
  return table(['AT', 'STATUS', 'TYPE', 'ROUTE', 'GENERATION', 'NODE', 'REASON'], rows);
}
