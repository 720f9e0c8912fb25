import { Type } from 'typebox';
import { type ActorCountRow, type Cluster, statesIn } from '../../../actors/runtime/index.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';

export const chartRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/charts',
    policy: 'viewer',
    summary:
      "Every kind's chart as it runs, and how many actors are in each of its states, nested and parallel ones too.",
    answers: listOf(Type.Object({}, { description: 'a kind of actor' })),
    answer: ({ cluster }) => charts(cluster),
  }),
];

async function charts({ operator }: Cluster) {
  const counts = await operator.counts();
  const data = operator.charts().map(({ root: chart, ...view }) => {
    return { ...view, chart, counts: byState(counts.filter(({ kind }) => kind === view.kind)) };
  });
  return { data, next: null };
}

/** By the path of the state: an actor counts in its innermost states, and in each that is around one of them. */
function byState(counts: readonly ActorCountRow[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const { state, count } of counts) {
    for (const path of statesIn(state)) sums.set(path, (sums.get(path) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}
