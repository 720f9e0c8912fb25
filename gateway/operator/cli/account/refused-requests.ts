/**
 * `troupe accounts refused`: the newest refused requests of an account, out of the store. A message that may quote the
 * request is in the memory of its node alone, and shown while that node lives. Loads the HTTP client late.
 */
import type { FailedCall, RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import type { Owner } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { requireAccount, type Session } from '../frame/session.ts';

/** Newest first. Throws if the account is absent. */
export async function refusedRequests({ address }: Owner, session: Session): Promise<readonly RefusedRequest[]> {
  const { operator, found } = session;
  const { listRefused } = await import('../../../../actors/refusal-log/refusal-log.ts');
  await requireAccount(session, address);
  const stored = await listRefused(operator, address);
  if (stored.every(({ message }) => message !== null)) return stored;
  const nodes = (await operator.ps()).nodes.filter((node) => node.live);
  const { callOperators } = await import('../frame/operator-port.ts');
  const answers = await callOperators(nodes, found.token, `/api/refused?account=${encodeURIComponent(address)}`);
  const known = answers.flatMap((body) => (body as { readonly data: RefusedRequest[] }).data);
  const messages = new Map(known.map(({ generation, message }) => [generation, message]));
  return stored.map((one) => ({ ...one, message: one.message ?? messages.get(one.generation) ?? null }));
}

export function failedCallText({ provider, endpoint, category, text }: FailedCall): string {
  return `${provider} (${endpoint}): ${category}, ${text}`;
}

export function renderRefused(found: readonly RefusedRequest[]): string {
  if (found.length === 0) return 'no request of this account was refused in the last 30 days';
  const rows = found.map(({ at, status, type, route, generation, node, message, failure }) => [
    timeOf(at),
    status,
    type,
    route,
    generation,
    node,
    message ?? '-',
    failure === null ? '-' : failedCallText(failure),
  ]);
  return table(['AT', 'STATUS', 'TYPE', 'ROUTE', 'GENERATION', 'NODE', 'REASON', 'FAILURE OF THE PROVIDER'], rows);
}
