import { Type } from 'typebox';
import { listRefused } from '../../../../actors/refusal-log/refusal-log.ts';
import { type Cluster, ownerOf } from '../../../../actors/runtime/index.ts';
import type { RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import { type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listOf } from '../../http/pages.ts';
import { accountNamed } from '../../lists/named.ts';
import { requireAccount } from './managing.ts';

export const refusedRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/refused',
    policy: 'viewer',
    summary:
      'The newest refused requests of an account, with the words of the refusal while the node lives that has them.',
    query: Type.Object({ account: Type.String({ description: 'id, address or whole name of an account' }) }),
    answers: listOf(Type.Object({}, { description: 'one refused request' })),
    answer: async ({ cluster, query }) => {
      const account = await accountNamed(cluster.rows, query.account);
      await requireAccount(cluster, ownerOf(account));
      return { data: await refusedOf(cluster, account), next: null };
    },
  }),
];

/** The name of the call with which a node answers what it remembers of an account. */
export const REFUSED_CALL = 'refused.list';

/** Out of the store; a message that may quote the request is in the memory of its node alone. */
async function refusedOf({ rows, operator }: Cluster, account: string): Promise<readonly RefusedRequest[]> {
  const stored = await listRefused(rows, account);
  if (stored.every(({ message }) => message !== null)) return stored;
  const heard = await operator.askHosts(REFUSED_CALL, account);
  const known = heard.flatMap(({ answer }) => (answer ?? []) as unknown as readonly RefusedRequest[]);
  const messages = new Map<string, string | null>(known.map(({ generation, message }) => [generation, message]));
  return stored.map((one) => ({ ...one, message: one.message ?? messages.get(one.generation) ?? null }));
}
