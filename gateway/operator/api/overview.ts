import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Cluster, ClusterView } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { alarmsOf, sickOf } from '../alarms.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

export interface OverviewServices {
  /** The disk of the node's store has room only for work under way. */
  readonly storeFull: () => boolean;
}

export const overviewRoutes = ({ storeFull }: OverviewServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/overview',
    policy: 'viewer',
    summary: 'The cluster at a glance: alarms with what to do, nodes, actors by kind and state, dead letters, queues.',
    answer: ({ cluster }) => overviewOf(cluster, storeFull()),
  }),
];

async function overviewOf(cluster: Cluster, isFull: boolean): Promise<object> {
  const view = await cluster.operator.ps();
  const endpoints = [...endpointsOn(cluster.board).values()] as unknown as readonly Endpoint[];
  const { actorCounts, ...rest } = view;
  return {
    at: cluster.now(),
    node: cluster.self.name,
    alarms: alarmsOf({ view, endpoints, storeFull: isFull }),
    ...rest,
    counts: actorCounts,
    sickEndpoints: sickOf(endpoints).map(({ id, model, provider, health }) => {
      return { id, model, provider: provider.slug, health };
    }),
    queues: queuesOf(view),
    takeovers: await takeoversOf(cluster, view),
  };
}

const EVENTS_READ = 50;
const TAKEOVERS_MAX = 10;

/** The newest deaths, and the claims of shards that followed; none while the store is away. */
async function takeoversOf({ operator }: Cluster, { outage }: ClusterView) {
  const events = outage === null ? await operator.events({ limit: EVENTS_READ }) : [];
  return events
    .filter(({ type, from }) => type === 'died' || (type === 'claimed' && from !== null))
    .slice(0, TAKEOVERS_MAX);
}

/** Of all nodes that answer. */
function queuesOf({ nodes }: ClusterView) {
  const sum = (of: 'queued' | 'commitsInFlight' | 'activities'): number =>
    nodes.reduce((total, { gauges }) => total + (gauges?.[of] ?? 0), 0);
  return { queued: sum('queued'), commitsInFlight: sum('commitsInFlight'), activities: sum('activities') };
}
