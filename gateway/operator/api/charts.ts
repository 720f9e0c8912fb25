import { Type } from 'typebox';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';

export const chartRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/charts',
    policy: 'viewer',
    summary: "Every kind's chart as it runs (states, transitions, guards), and how many actors are in each state.",
    answers: listOf(Type.Object({}, { description: 'a kind of actor' })),
    answer: ({ cluster }) => charts(cluster),
  }),
];

async function charts({ operator }: Cluster) {
  const counts = await operator.counts();
  const data = operator.charts().map(({ root: chart, ...view }) => {
    const byState: Record<string, number> = {};
    for (const { kind, state, count } of counts) {
      if (kind === view.kind) byState[state] = (byState[state] ?? 0) + count;
    }
    return { ...view, chart, counts: byState };
  });
  return { data, next: null };
}
