import { type Cluster, parseAddress } from '../../../actors/runtime/index.ts';
import { explained } from '../explained.ts';
import { findAddress, kindOfId } from '../find-address.ts';
import { isAbsent, isInvalid, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

export const actorRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address',
    policy: 'viewer',
    summary:
      'One actor: its owner, state, context, mailbox, timers, activities and last transitions, and why it waits.',
    answer: async ({ cluster, params }) => inspected(cluster, named(params.address)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/why/:address',
    policy: 'viewer',
    summary: 'Why an actor, a generation or a deposit is in its state, in sentences.',
    answer: async ({ cluster, params }) => {
      const found = await explained(cluster.operator, named(params.address));
      if (found === null) throw isAbsent(params.address);
      return { address: found.address, state: found.state, why: found.explanation };
    },
  }),
];

async function inspected({ operator }: Cluster, name: string): Promise<object> {
  const address = await findAddress(operator, name);
  const found = address === null ? null : await operator.inspect(address);
  if (found === null) throw isAbsent(name);
  const { explanation: why, ...seen } = found;
  return { ...seen, why };
}

/** An address, or an id that names an actor without its account. */
export function named(name: string): string {
  if (parseAddress(name) !== null || kindOfId(name) !== null) return name;
  throw isInvalid('address', 'must be kind:owner or kind:owner/local, or an id such as batch_...');
}
