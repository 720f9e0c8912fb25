import { Type } from 'typebox';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';

export const nodeRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/overview',
    policy: 'viewer',
    summary: 'The cluster at a glance: nodes, actors by kind and state, dead letters, quarantined actors, outages.',
    answer: async ({ cluster }) => {
      const { actorCounts, ...view } = await cluster.operator.ps();
      return { at: cluster.now(), node: cluster.self.name, ...view, counts: actorCounts };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/nodes',
    policy: 'viewer',
    summary: 'The nodes of the cluster: state, shards, age, restarts, gauges.',
    answers: listOf(Type.Object({}, { description: 'a node' })),
    answer: async ({ cluster }) => ({ data: (await cluster.operator.ps()).nodes, next: null }),
  }),
];
