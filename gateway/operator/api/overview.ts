import type { Cluster, ClusterView } from '../../../actors/runtime/index.ts';
import { alarmsOf, lookAt, sickOf, withBegins } from '../alarms.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { shownEvent } from '../timeline/takeover.ts';
import { measuredNodes } from './nodes.ts';

export interface OverviewServices {
  /** Less free space on the disk of a data folder is an alarm. */
  readonly lowDiskBytes: number;
}

export const overviewRoutes = ({ lowDiskBytes }: OverviewServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/overview',
    policy: 'viewer',
    summary: 'The cluster at a glance: alarms with what to do, nodes, actors by kind and state, dead letters, queues.',
    answer: ({ cluster }) => overviewOf(cluster, lowDiskBytes),
  }),
];

async function overviewOf(cluster: Cluster, lowDiskBytes: number): Promise<object> {
  const look = await lookAt(cluster);
  const { view, endpoints } = look;
  const { actorCounts, ...rest } = view;
  return {
    at: cluster.now(),
    node: cluster.self.name,
    alarms: await withBegins(cluster, alarmsOf(look, lowDiskBytes), view),
    ...rest,
    nodes: measuredNodes(look),
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
    .slice(0, TAKEOVERS_MAX)
    .map(shownEvent);
}

/** Of all nodes that answer. */
function queuesOf({ nodes }: ClusterView) {
  const sum = (of: 'queued' | 'commitsInFlight' | 'activities'): number =>
    nodes.reduce((total, { gauges }) => total + (gauges?.[of] ?? 0), 0);
  return { queued: sum('queued'), commitsInFlight: sum('commitsInFlight'), activities: sum('activities') };
}
