import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { reportResumption } from '../../actors/cluster-log/cluster-log.ts';
import type { Json, ReportedRow } from '../../actors/runtime/index.ts';
import { type ClusterNode, type NodeParts, startNode } from '../../actors/runtime/node.ts';
import { GrpcTransport } from '../../actors/runtime/transports/grpc/transport.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import type { RefusedRequest } from '../../actors/terms/refused-request.ts';
import type { Retention } from '../../actors/terms/retention.ts';
import { hostCallsOf } from '../inflight/host-calls.ts';
import { ExpiredRows } from '../management/retention/expired-rows.ts';
import { ExportFolder } from '../management/retention/export-folder.ts';
import { REFUSED_CALL } from '../operator/api/account/refused.ts';
import { tlsOf } from '../operator/config/identity.ts';
import type { Secrets } from '../operator/config/secrets.ts';
import { NODE_GAUGES, type NodeGauges } from '../operator/metrics/node-gauges.ts';
import type { ClusterConfig } from '../terms/config/config.ts';
import type { Measures } from '../terms/measures.ts';
import type { Tracing } from '../terms/tracing.ts';
import type { NodeContext } from './node-options.ts';
import type { OpenedStores } from './open-stores.ts';

/** Dependencies of the cluster part of a node, beside its context. */
interface OpenClusterParts
  extends Pick<
    NodeParts,
    'kinds' | 'activities' | 'activityGraceMs' | 'onIsolated' | 'onDead' | 'onDrain' | 'onWaiting'
  > {
  readonly secrets: Secrets;
  readonly stores: OpenedStores;
  readonly operatorUrl: () => string;
  /** What operators see of this node. */
  readonly gauges: () => Promise<NodeGauges>;
  /** The newest refused requests of an account at this node. */
  readonly refused: (account: string) => readonly Omit<RefusedRequest, 'node'>[];
}

/** Joins the cluster. Resolves when the node is a member; it owns shards and serves later. */
export async function openCluster(context: NodeContext, parts: OpenClusterParts): Promise<ClusterNode> {
  const { options, self, clock, random, log, measures, flights, tracing } = context;
  const { config, env, name } = options;
  const { secrets, stores, gauges, refused, ...node } = parts;
  const tls = await tlsOf(config, self, clock.now());
  const route = routeLinks(env.TROUPE_LINK_ROUTES, name);
  const started: Promise<ClusterNode> = startNode({
    ...node,
    ...stores.bytes,
    ...rowExportOf(config.retention, name),
    store: stores.store,
    name,
    grpcAddress: self.grpc,
    host: hostname(),
    pid: process.pid,
    clock,
    random,
    limits: config.runtime,
    secret: secrets.clusterSecret,
    configDigest: digestOf(config),
    hostCalls: {
      ...hostCallsOf(flights),
      [NODE_GAUGES]: async () => (await gauges()) as unknown as Json,
      [REFUSED_CALL]: (account) => refused(account as string) as unknown as Json,
    },
    onResumed: (resumption) => void started.then((cluster) => reportResumption(cluster, resumption)),
    onCommitted: (tookMs) => measures.committed(tookMs),
    onReported: (row) => reportCharge(row, measures, ({ message, ...record }) => log.warn(record, message)),
    ...(tracing && { traced: (trace, event) => stepSpan(tracing, name, trace, event) }),
    transport: (link) => new GrpcTransport({ ...link, tls, route }),
    log: ({ level, message, ...record }) => log[level](record, message),
  });
  return started;
}

function rowExportOf({ export: folder }: Retention, name: string): Pick<NodeParts, 'rowExport'> {
  return folder === null ? {} : { rowExport: new ExpiredRows(new ExportFolder(folder, `${name}.rows`)) };
}

/**
 * A digest of the settings that all nodes of a cluster must share: nodes whose digests differ refuse each other's
 * links.
 */
function digestOf({ runtime, rates, workspace }: ClusterConfig): string {
  return createHash('sha256').update(JSON.stringify({ runtime, rates, workspace })).digest('hex');
}

/** The work of the node that owns an actor on one ask, from its arrival to its answer. */
function stepSpan(tracing: Tracing, node: string, trace: string, event: string): () => void {
  const span = tracing.begin(`step ${event}`, trace, { 'troupe.node': node });
  return () => span.end();
}

/**
 * Counts and logs a charge that came after the release of its hold or exceeded it. The node that owns the account calls
 * it after the commit of the charge, which is where turns, lines of batches and videos meet.
 */
export function reportCharge(
  { collection, body }: ReportedRow,
  measures: Pick<Measures, 'settled'>,
  warn: (record: { readonly message: string; readonly [key: string]: unknown }) => void,
): void {
  if (collection !== 'generation') return;
  const { generation, key, model, provider, late, overshoot, settlement } = body as unknown as Generation;
  measures.settled({ late, overshoot });
  const charge = { generation, key, model, provider, cost: settlement?.cost, late, overshoot };
  warn({ message: 'charged late or beyond its hold', ...charge });
}

/**
 * Redirects the links of a node to its peers: `{"n1": {"127.0.0.1:7102": "127.0.0.1:9012"}}`, by the dialling node's
 * name. Undefined without redirects. Only chaos tests use it, to dial through proxies that cut links.
 */
function routeLinks(routes: string | undefined, name: string): ((address: string) => string) | undefined {
  if (!routes) return undefined;
  const own = (JSON.parse(routes) as Record<string, Record<string, string>>)[name] ?? {};
  return (address) => own[address] ?? address;
}
