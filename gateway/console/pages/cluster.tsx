/** The cluster: nodes, who owns which shard, and every join, death, takeover and hand-over. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { Listing, Table } from '../kit/table.tsx';
import { Age, count, duration, Time } from '../kit/text.tsx';

interface NodeRow {
  readonly name: string;
  readonly incarnation: string;
  readonly state: string;
  readonly live: boolean;
  readonly shards: number;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number | null;
  readonly restarts: { readonly total: number; readonly lastHour: number } | null;
  readonly lastEnd: { readonly reason: string; readonly at: number | null } | null;
  readonly memoryBytes: number | null;
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
  readonly shards: readonly number[] | number | null;
  readonly tookMs?: number | null;
  readonly why: string | null;
}

export function ClusterPage() {
  const nodes = useLive<Page<NodeRow>>('/api/nodes');
  const shards = useLive<{ readonly shards: readonly ShardOwner[] }>('/api/shards');
  return (
    <PageFrame title="Cluster" what="Which nodes are alive, which of them serves which shard, and how that changed.">
      <Panel title="Nodes">
        <Answer live={nodes}>{({ data }) => <Nodes nodes={data} refresh={nodes.refresh} />}</Answer>
      </Panel>
      <Panel title="Shards">
        <Answer live={shards}>
          {(value) => <ShardMap shards={value.shards} names={(nodes.value?.data ?? []).map(({ name }) => name)} />}
        </Answer>
      </Panel>
      <Events />
    </PageFrame>
  );
}

function Nodes({ nodes, refresh }: { readonly nodes: readonly NodeRow[]; readonly refresh: () => void }) {
  return (
    <Table
      caption="Nodes of the cluster"
      rows={nodes}
      keyOf={({ incarnation }) => incarnation}
      empty="No node is known"
      columns={[
        { name: 'Node', cell: ({ name }) => name },
        { name: 'State', cell: ({ state, live }) => <StateBadge state={live ? state : `${state}, not live`} /> },
        { name: 'Shards', isNumber: true, cell: ({ shards }) => shards },
        { name: 'Up for', isNumber: true, cell: ({ startedAt }) => <Age since={startedAt} /> },
        {
          name: 'Memory',
          isNumber: true,
          cell: ({ memoryBytes }) => (memoryBytes === null ? '' : mebibytes(memoryBytes)),
        },
        { name: 'Restarts', isNumber: true, cell: ({ restarts }) => restarts?.total ?? '' },
        { name: 'Last end', cell: ({ lastEnd }) => lastEnd?.reason ?? '' },
        { name: 'Process', cell: ({ host, pid }) => `${host}, ${pid}` },
        {
          name: 'Drain',
          cell: ({ name, live }) =>
            live && <Change label={`Drain ${name}`} path={`/api/nodes/${name}/drain`} isDangerous done={refresh} />,
        },
      ]}
    />
  );
}

function mebibytes(bytes: number): string {
  return `${count(Math.round(bytes / 2 ** 20))} MiB`;
}

const TONES = 6;

/** One square per shard, in the colour of its node; the legend and the titles say the names. */
function ShardMap({ shards, names }: { readonly shards: readonly ShardOwner[]; readonly names: readonly string[] }) {
  const toneOf = (node: string | null): string => {
    const at = node === null ? -1 : names.indexOf(node);
    return at < 0 ? 'none' : `owner-${at % TONES}`;
  };
  return (
    <>
      <ul class="legend">
        {names.map((name) => (
          <li key={name}>
            <i class={toneOf(name)} /> {name}: {shards.filter(({ node }) => node === name).length}
          </li>
        ))}
        <li>
          <i class="none" /> without owner: {shards.filter(({ node }) => node === null).length}
        </li>
      </ul>
      <div class="shards" role="img" aria-label={`${shards.length} shards by owner, as the legend counts them`}>
        {shards.map(({ shard, node, epoch }) => (
          <i key={shard} class={toneOf(node)} title={`shard ${shard}: ${node ?? 'no owner'}, epoch ${epoch}`} />
        ))}
      </div>
    </>
  );
}

function Events() {
  const { query } = usePlace();
  const live = useLive<Page<ClusterEvent>>('/api/events', { cursor: query.get('cursor') });
  return (
    <Panel title="Events">
      <Listing
        live={live}
        cursor={query.get('cursor')}
        caption="Events of the cluster, newest first"
        keyOf={({ n }) => String(n)}
        empty="No event is recorded"
        columns={[
          { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
          { name: 'What', cell: ({ type }) => <StateBadge state={type} /> },
          { name: 'Node', cell: ({ node }) => node },
          { name: 'From', cell: ({ from }) => from ?? '' },
          { name: 'Shards', isNumber: true, cell: ({ shards }) => shardCount(shards) },
          { name: 'Took', isNumber: true, cell: ({ tookMs }) => (tookMs == null ? '' : duration(tookMs)) },
          { name: 'Why', cell: ({ why }) => why ?? '' },
        ]}
      />
    </Panel>
  );
}

function shardCount(shards: ClusterEvent['shards']): string {
  if (shards === null) return '';
  return count(typeof shards === 'number' ? shards : shards.length);
}
