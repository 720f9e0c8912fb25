/**
 * `troupe accounts refused`: the newest refused requests of an account, out of the store. A message that may quote the
 * request is in the memory of its node alone, and shown while that node lives. Loads the HTTP client late.
 */
import type { FailedCall, RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import { findCluster } from '../frame/find-cluster.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { requireAccount, withSession } from '../frame/session.ts';

/** Newest first. @throws ConfigError if the account is absent */
export async function refusedRequests(text: string, options: GlobalOptions): Promise<readonly RefusedRequest[]> {
  const account = accountFrom(text);
  const { token } = await findCluster(options);
  const { nodes, stored } = await withSession(options, async ({ operator, cluster }) => {
    const { listRefused } = await import('../../../../actors/refusal-log/refusal-log.ts');
    await requireAccount({ cluster }, account);
    const live = (await operator.ps()).nodes.filter((node) => node.live);
    return { nodes: live, stored: await listRefused(operator, account) };
  });
  if (stored.every(({ message }) => message !== null)) return stored;
  const { callOperators } = await import('../frame/call-operators.ts');
  const answers = await callOperators(nodes, token, `/refused?account=${encodeURIComponent(account)}`);
  const known = answers.flatMap(({ body }) => (body as { data: RefusedRequest[] }).data);
  const messages = new Map(known.map(({ generation, message }) => [generation, message]));
  return stored.map((one) => ({ ...one, message: one.message ?? messages.get(one.generation) ?? null }));
}

export function failedCallText({ provider, endpoint, category, text }: FailedCall): string {
  return `${provider} (${endpoint}): ${category}, ${text}`;
}

export function renderRefused(found: readonly RefusedRequest[]): string {
  if (found.length === 0) return 'no request of this account was refused in the last 30 days';
  const rows = found.map(({ at, status, type, route, generation, node, message, failure }) => [
    ...[timeOf(at) ?? '', String(status), type, route ?? '', generation, node, message ?? '-'],
    failure === null ? '-' : failedCallText(failure),
  ]);
  return table(['AT', 'STATUS', 'TYPE', 'ROUTE', 'GENERATION', 'NODE', 'REASON', 'FAILURE OF THE PROVIDER'], rows);
}
