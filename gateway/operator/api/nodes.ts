import { Type } from 'typebox';
import { type ClusterLook, lookAt } from '../alarms.ts';
import { change, quoted } from '../http/change.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listed, listOf, listQuery, pageOf } from '../http/pages.ts';
import { shownEvent, takeoverOf } from '../timeline/takeover.ts';

export const nodeRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/cluster',
    policy: 'viewer',
    summary: 'Nodes, shards, actors by kind and state, dead letters, quarantined actors; also while the store is away.',
    answer: ({ cluster }) => cluster.operator.ps(),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/nodes',
    policy: 'viewer',
    summary:
      'The nodes of the cluster: state, shards, last heartbeat, age, restarts, commits, memory, event loop, disk.',
    answers: listOf(Type.Object({}, { description: 'a node' })),
    answer: async ({ cluster }) => ({ data: measuredNodes(await lookAt(cluster)), next: null, at: cluster.now() }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/shards',
    policy: 'viewer',
    summary: 'Which node owns each shard, with the epoch of its claim, as far as this node knows.',
    answer: async ({ cluster: { operator } }) => {
      const names = new Map((await operator.ps()).nodes.map(({ incarnation, name }) => [incarnation, name]));
      const shards = operator.shards().map(({ shard, owner, epoch }) => {
        return { shard, owner, node: owner === null ? null : (names.get(owner) ?? null), epoch };
      });
      return { shards, count: shards.length };
    },
  }),
  change({
    path: '/api/nodes/:name/drain',
    summary:
      'Move the shards of a node to the others and end it after its open work; its launcher then starts it again.',
    plan: async ({ cluster: { operator }, params: { name }, body: { reason } }) => {
      const { nodes } = await operator.ps();
      const found = nodes.find((node) => node.name === name && node.live);
      if (found === undefined) {
        const names = nodes.flatMap((node) => (node.live ? [node.name] : [])).sort();
        throw isAbsent(`node ${name}; the nodes are ${names.join(', ')}`);
      }
      const isAlone = nodes.every((node) => !node.live || node.name === name);
      return {
        would: `drain ${name}: ${isAlone ? STAY : moved(found.shards)}; it ends after its open work`,
        command: `troupe drain ${quoted(name)} --reason ${quoted(reason)}`,
        audit: { action: 'node.drain', target: name },
        run: async () => {
          await operator.drain(name);
          return { did: `began to drain ${name}` };
        },
      };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/events',
    policy: 'viewer',
    summary: 'Joins, deaths, departures, takeovers and hand-overs of shards, newest first, also of before a restart.',
    query: listQuery({}),
    answers: listOf(Type.Object({}, { description: 'an event of the cluster' })),
    answer: async ({ cluster, query }) => {
      const { limit, after } = pageOf(query, Type.Object({ n: Type.Integer() }));
      const below = after === null ? {} : { after: after.n };
      const events = await cluster.operator.events({ ...below, limit: limit + 1 });
      return listed(events, limit, { keyOf: ({ n }) => ({ n }), entryOf: shownEvent });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/takeovers/:n',
    policy: 'viewer',
    summary:
      'A takeover on a time line, by the number of the death in the events: last heartbeat to work taken up again.',
    answer: async ({ cluster, params: { n } }) => {
      const found = /^[1-9]\d{0,14}$/.test(n) ? await takeoverOf(cluster, Number(n)) : null;
      if (found === null) throw isAbsent(`the death ${n}`);
      return found;
    },
  }),
];

/** With what each node measures of itself; null members of one that does not answer. */
export function measuredNodes({ view, gauges }: Pick<ClusterLook, 'view' | 'gauges'>): readonly object[] {
  return view.nodes.map((node) => ({ ...node, measured: (node.live ? gauges.get(node.name) : undefined) ?? null }));
}

const STAY = 'no other node can take its shards, so it keeps them until it ends';

function moved(shards: number): string {
  return shards === 1 ? 'its shard moves to the others' : `its ${shards} shards move to the others`;
}
