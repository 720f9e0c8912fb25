/** The cluster: nodes with what they measure, who owns which shard as it moves, and every event. */
import type { Page } from '../client/api.ts';
import { useCluster } from '../client/cluster.ts';
import type { SeenNode } from '../client/feed.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { ShardMap } from '../kit/shard-map.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { type Column, Listing, Table } from '../kit/table.tsx';
import { Age, Count, count, duration, Time } from '../kit/text.tsx';

interface NodeRow extends SeenNode {
  readonly host: string;
  readonly pid: number;
  readonly operatorUrl: string;
  readonly startedAt: number | null;
  readonly restarts: { readonly total: number; readonly lastHour: number } | null;
  readonly lastEnd: { readonly reason: string; readonly at: number | null } | null;
  readonly memoryBytes: number | null;
  readonly gauges: { readonly entriesWaiting: number; readonly commitLagMs: number; readonly cells: number } | null;
  readonly measured: {
    readonly commitP50Ms: number | null;
    readonly commitP99Ms: number | null;
    readonly loopDelayP99Ms: number;
    readonly diskFreeBytes: number | null;
  } | null;
}

interface ShardOwner {
  readonly shard: number;
  readonly node: string | null;
  readonly epoch: number;
}

interface ClusterEvent {
  readonly n: number;
  readonly at: number;
  readonly type: string;
  readonly node: string;
  readonly from: string | null;
  readonly shards: number | null;
  readonly tookMs: number | null;
  readonly why: string | null;
}

/** States and moves come by the feed; what is measured is read this often. */
const MEASURED_MS = 5_000;
/** What the feed announces is read this often too: a node has feeds for some 32 pages at once. */
const UNANNOUNCED_MS = 20_000;
/** A shard that moved is marked for so long. */
const MARKED_MS = 5_000;

export function ClusterPage() {
  const { query } = usePlace();
  const nodes = useLive<Page<NodeRow> & { readonly at: number }>('/api/nodes', {}, MEASURED_MS);
  const shards = useLive<{ readonly shards: readonly ShardOwner[] }>('/api/shards', {}, UNANNOUNCED_MS);
  const events = useLive<Page<ClusterEvent>>('/api/events', { cursor: query.get('cursor') }, UNANNOUNCED_MS);
  const seen = useCluster(() => {
    for (const live of [nodes, shards, events]) live.refresh();
  });
  const names = (nodes.value?.data ?? []).map(({ name }) => name);
  return (
    <PageFrame title="Cluster" what="Which nodes are alive, which of them serves which shard, and how that changed.">
      <Panel title="Nodes">
        <Answer live={nodes}>
          {({ data, at }) => (
            <Nodes
              nodes={data.map((node) => ({ ...node, ...seen.nodes.get(node.incarnation) }))}
              at={Math.max(at, seen.at)}
              refresh={nodes.refresh}
            />
          )}
        </Answer>
      </Panel>
      <Panel title="Shards">
        <Answer live={shards}>
          {(value) => (
            <ShardMap
              names={names}
              marked="moved just now"
              shards={value.shards.map((row) => {
                const move = seen.moved.get(row.shard);
                if (move === undefined) return row;
                const isMoved = seen.at - move.at < MARKED_MS;
                return move.epoch > row.epoch ? { ...move, isMoved } : { ...row, isMoved };
              })}
            />
          )}
        </Answer>
      </Panel>
      <Panel title="Events">
        <Listing
          live={events}
          cursor={query.get('cursor')}
          caption="Events of the cluster, newest first"
          keyOf={({ n }) => String(n)}
          empty="No event is recorded"
          columns={EVENT_COLUMNS}
        />
      </Panel>
    </PageFrame>
  );
}

interface NodesProps {
  readonly nodes: readonly NodeRow[];
  /** Store time, ms. */
  readonly at: number;
  readonly refresh: () => void;
}

function Nodes({ nodes, at, refresh }: NodesProps) {
  return (
    <Table
      caption="Nodes of the cluster"
      rows={nodes}
      keyOf={({ incarnation }) => incarnation}
      empty="No node is known"
      columns={nodeColumns(at, refresh)}
    />
  );
}

function nodeColumns(at: number, refresh: () => void): readonly Column<NodeRow>[] {
  return [
    { name: 'Node', cell: ({ name }) => name },
    { name: 'State', cell: ({ state, live }) => <StateBadge state={live ? state : `${state}, not live`} /> },
    { name: 'Shards', isNumber: true, cell: ({ name, shards }) => <Count n={shards} to={`/actors?node=${name}`} /> },
    {
      name: 'Heartbeat',
      isNumber: true,
      cell: ({ beatAt }) => (beatAt === null ? 'none' : `${duration(at - beatAt)} ago`),
    },
    { name: 'Up for', isNumber: true, cell: ({ startedAt }) => <Age since={startedAt} /> },
    ...MEASURED,
    {
      name: 'Restarts',
      isNumber: true,
      cell: ({ name, restarts }) =>
        restarts && <Count n={restarts.total} to={`/alarms?name=node-restarts&subject=${name}`} />,
    },
    { name: 'Last end', cell: ({ lastEnd }) => lastEnd?.reason ?? '' },
    { name: 'Process', cell: ({ host, pid }) => `${host}, ${pid}` },
    {
      name: 'Drain',
      cell: ({ name, live }) =>
        live && <Change label={`Drain ${name}`} path={`/api/nodes/${name}/drain`} isDangerous done={refresh} />,
    },
  ];
}

const MEASURED: readonly Column<NodeRow>[] = [
  {
    name: 'Commit p50, p99',
    isNumber: true,
    cell: (node) => (
      <Metric node={node} name="troupe_commit_seconds">
        {pairOf(node.measured?.commitP50Ms, node.measured?.commitP99Ms)}
      </Metric>
    ),
  },
  {
    name: 'Log lag',
    isNumber: true,
    cell: (node) => (
      <Metric node={node} name="troupe_commit_lag_seconds">
        {node.gauges && `${duration(node.gauges.commitLagMs)}, ${count(node.gauges.entriesWaiting)} waiting`}
      </Metric>
    ),
  },
  {
    name: 'Loop p99',
    isNumber: true,
    cell: (node) => (
      <Metric node={node} name="troupe_loop_delay_p99_seconds">
        {timeText(node.measured?.loopDelayP99Ms)}
      </Metric>
    ),
  },
  {
    name: 'Memory',
    isNumber: true,
    cell: (node) => (
      <Metric node={node} name="troupe_resident_memory_bytes">
        {bytesText(node.memoryBytes)}
      </Metric>
    ),
  },
  {
    name: 'Disk free',
    isNumber: true,
    cell: (node) => (
      <Metric node={node} name="troupe_disk_free_bytes">
        {bytesText(node.measured?.diskFreeBytes)}
      </Metric>
    ),
  },
];

/** A measured number leads to the metrics of its node, where it has this name. */
function Metric({
  node,
  name,
  children,
}: {
  readonly node: NodeRow;
  readonly name: string;
  readonly children: unknown;
}) {
  if (children === null || children === '') return null;
  return (
    <a class="number" href={`${node.operatorUrl}/metrics`} title={`${name} of ${node.name}`}>
      {children as string}
    </a>
  );
}

function pairOf(p50: number | null | undefined, p99: number | null | undefined): string {
  return p50 == null || p99 == null ? '' : `${timeText(p50)}, ${timeText(p99)}`;
}

/** Short times keep a decimal: a commit of half a millisecond is not 0. */
function timeText(ms: number | null | undefined): string {
  if (ms == null) return '';
  return ms < 10 ? `${ms.toFixed(1)} ms` : duration(ms);
}

function bytesText(bytes: number | null | undefined): string {
  if (bytes == null) return '';
  return bytes < 10 * 2 ** 30
    ? `${count(Math.round(bytes / 2 ** 20))} MiB`
    : `${count(Math.round(bytes / 2 ** 30))} GiB`;
}

const EVENT_COLUMNS: readonly Column<ClusterEvent>[] = [
  { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
  { name: 'What', cell: ({ type }) => <StateBadge state={type} /> },
  { name: 'Node', cell: ({ node }) => node },
  { name: 'From', cell: ({ from }) => from ?? '' },
  { name: 'Shards', isNumber: true, cell: ({ shards }) => (shards === null ? '' : count(shards)) },
  { name: 'Took', isNumber: true, cell: ({ tookMs }) => (tookMs === null ? '' : duration(tookMs)) },
  { name: 'Why', cell: ({ why }) => why ?? '' },
  { name: 'Replay', cell: ({ type, n }) => type === 'died' && <a href={hrefOf(`/cluster/takeovers/${n}`)}>Replay</a> },
];
