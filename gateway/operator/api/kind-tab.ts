/** The tab of an actor's kind. */
import { Type } from 'typebox';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { findAddress } from '../find-address.ts';
import { isAbsent, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listQuery } from '../http/pages.ts';
import { KIND_TAB, type TabAsked } from '../kind-tabs/kind-tab.ts';
import { tabOfKind } from '../kind-tabs/kind-tabs.ts';
import { named } from './actors.ts';

export const kindTabRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address/tab',
    policy: 'viewer',
    summary:
      "What an actor's kind shows of it: a batch its lines, a video its attempts and clips, a key its limits and holds.",
    query: listQuery({
      status: Type.Optional(Type.String({ description: 'of the rows, where the table has statuses' })),
    }),
    answers: KIND_TAB,
    answer: ({ cluster, params, query }) => tab(cluster, params.address, query),
  }),
];

async function tab(cluster: Cluster, name: string, asked: TabAsked) {
  const address = await findAddress(cluster.operator, named(name));
  const found = address === null ? null : await cluster.operator.inspect(address);
  if (address === null || found === null) throw isAbsent(name);
  const kind = tabOfKind(found.kind);
  if (kind === null) throw new OperatorFault(404, 'no_tab', `${found.kind} has no tab of its own`);
  return kind.read(cluster, found, asked);
}
