import { Type } from 'typebox';
import type { Cluster, Json } from '../../../actors/runtime/index.ts';
import type { FlightsOfNode, StopOutcome } from '../../inflight/host-calls.ts';
import { type ChangePlan, change, quoted } from '../http/change.ts';
import { isAbsent, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';
import { accountNamed, keyNamed } from '../lists/named.ts';
import { ActorNames } from '../names.ts';

/** Entries of one answer, the oldest first; `total` counts all. */
const SHOWN_MAX = 500;

const FILTER = Type.Object({
  account: Type.Optional(Type.String({ description: 'id, address or whole name of an account' })),
  key: Type.Optional(Type.String({ description: 'id or address of a key' })),
  model: Type.Optional(Type.String({ description: 'id of the model that serves' })),
  endpoint: Type.Optional(Type.String({ description: 'id of the endpoint that is called' })),
  kind: Type.Optional(
    Type.Union([Type.Literal('request'), Type.Literal('line'), Type.Literal('render')], {
      description: 'live request, line of a batch, or render of a video',
    }),
  ),
  node: Type.Optional(Type.String({ description: 'name of the node that works on it' })),
});

export const inflightRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/inflight',
    policy: 'viewer',
    summary: `What all nodes work on now: requests, lines of batches and renders, the oldest first, at most ${SHOWN_MAX}.`,
    query: FILTER,
    answers: listOf(Type.Object({}, { description: 'one piece of work' })),
    answer: ({ cluster, query }) => inFlight(cluster, query),
  }),
  change({
    path: '/api/inflight/:id/stop',
    summary:
      'End a request, a line of a batch or a render; what was delivered is charged, and its client gets the reason.',
    plan: async ({ cluster, params: { id }, body: { reason }, principal }): Promise<ChangePlan> => {
      const [found] = (await inFlight(cluster, { id })).data;
      if (found === undefined) throw isAbsent(id);
      return {
        would: `stop ${id}, ${found.model} at ${found.node}: what it delivered is charged, the rest of its hold is released`,
        command: `troupe stop ${id} --reason ${quoted(reason)}`,
        audit: { action: 'inflight.stop', target: id, detail: { account: found.account, model: found.model } },
        run: async () => {
          await stop(cluster, found.node, { id, reason, by: { ...principal } });
          return { did: `stopped ${id}` };
        },
      };
    },
  }),
];

async function inFlight({ operator, rows }: Cluster, { node, account, key, ...filter }: FilterQuery) {
  const asked = await Promise.all([
    account === undefined ? undefined : accountNamed(rows, account),
    key === undefined ? undefined : keyNamed(rows, key),
  ]);
  const [ofAccount, ofKey] = asked;
  const input = given({ ...filter, account: ofAccount, key: ofKey });
  const answers = await operator.askHosts('flights.list', input, node);
  const heard = answers.flatMap(({ node: at, answer }) => {
    const { total, views } = (answer ?? { total: 0, views: [] }) as unknown as FlightsOfNode;
    return { total, views: views.map((view) => ({ ...view, node: at })) };
  });
  const names = new ActorNames(rows);
  const all = heard.flatMap(({ views }) => views).sort((a, b) => a.startedAt - b.startedAt);
  const data = await Promise.all(
    all.slice(0, SHOWN_MAX).map(async (view) => ({
      ...view,
      accountName: await names.of(view.account),
      keyName: await names.of(view.key),
    })),
  );
  return { data, next: null, total: heard.reduce((sum, { total }) => sum + total, 0) };
}

interface FilterQuery {
  readonly id?: string;
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly kind?: string;
  readonly node?: string;
}

function given(filter: Readonly<Record<string, string | undefined>>): Json {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Json;
}

/** 404 if it ended meanwhile, 409 where it cannot be stopped. */
async function stop({ operator }: Cluster, node: string, input: Json): Promise<void> {
  const [heard] = await operator.askHosts('flights.stop', input, node);
  const outcome = (heard?.answer ?? { outcome: 'absent' }) as StopOutcome;
  if (outcome.outcome === 'absent') throw new OperatorFault(404, 'not_found', 'it has ended meanwhile');
  if (outcome.outcome === 'refused') throw new OperatorFault(409, 'conflict', outcome.why);
}
