/** The first page: what needs somebody, what runs, and which nodes run it. */
import { useCluster } from '../client/cluster.ts';
import type { SeenNode } from '../client/feed.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { Filters } from '../kit/filters.tsx';
import { Figures, PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, Empty, StateBadge } from '../kit/state.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { ActorLink, Age, Count, count, Id, Money, Time, Words } from '../kit/text.tsx';

interface Alarm {
  readonly name: string;
  readonly subject: string | null;
  readonly severity: 'critical' | 'warning';
  readonly what: string;
  readonly since: number | null;
  readonly todo: string;
  readonly link: string | null;
}

interface NodeView extends SeenNode {
  readonly startedAt: number | null;
  readonly restarts: { readonly total: number; readonly lastHour: number } | null;
  readonly lastEnd: { readonly reason: string; readonly at: number | null } | null;
}

interface ClusterEvent {
  readonly n: number;
  readonly at: number;
  readonly type: string;
  readonly node: string;
  readonly shards: number | null;
  readonly why: string | null;
}

interface Overview {
  readonly at: number;
  readonly node: string;
  readonly nodes: readonly NodeView[];
  readonly alarms: readonly Alarm[];
  readonly takeovers: readonly ClusterEvent[];
  readonly deadLetters: readonly unknown[];
  readonly quarantined: readonly unknown[];
  readonly counts: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
}

interface InFlight {
  readonly id: string;
  readonly kind: 'request' | 'line' | 'render';
  readonly account: string;
  readonly accountName: string | null;
  readonly key: string | null;
  readonly keyName: string | null;
  readonly model: string;
  readonly endpoint: string | null;
  readonly phase: string;
  readonly tokens: number | null;
  readonly startedAt: number;
  readonly node: string;
  readonly held: string | null;
}

interface FlightList {
  readonly data: readonly InFlight[];
  readonly total?: number;
}

/** Nodes, events and alarms come by the feed; counts of actors are read this often. */
const COUNTS_MS = 10_000;

export function NowPage() {
  const overview = useLive<Overview>('/api/overview', {}, COUNTS_MS);
  const seen = useCluster(overview.refresh);
  return (
    <PageFrame title="Now" what="What needs you, what runs, and the nodes that run it.">
      <Answer live={overview}>
        {(value) => (
          <>
            <Alarms alarms={value.alarms} />
            <Summary overview={value} />
          </>
        )}
      </Answer>
      <Flights />
      <Answer live={overview}>
        {(value) => (
          <>
            <Nodes nodes={value.nodes.map((node) => ({ ...node, ...seen.nodes.get(node.incarnation) }))} />
            <Takeovers events={value.takeovers} />
          </>
        )}
      </Answer>
    </PageFrame>
  );
}

function Alarms({ alarms }: { readonly alarms: readonly Alarm[] }) {
  if (alarms.length === 0) {
    return (
      <p class="notice good">
        Nothing needs you. <a href={hrefOf('/alarms')}>Earlier alarms</a>
      </p>
    );
  }
  return (
    <ul class="alarms" aria-label="Alarms">
      {alarms.map(({ name, subject, severity, what, since, todo, link }) => (
        <li key={`${name} ${subject}`} class={`notice ${severity === 'critical' ? 'bad' : 'warn'}`}>
          <p>
            <StateBadge state={severity} /> <b>{link === null ? what : <a href={hrefOf(link)}>{what}</a>}</b>
            {since !== null && (
              <span class="muted">
                {' '}
                for <Age since={since} />
              </span>
            )}{' '}
            <a href={hrefOf(`/alarms?name=${name}`)}>History</a>
          </p>
          <p>
            <Words text={todo} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Summary({ overview: { nodes, counts, quarantined, deadLetters } }: { readonly overview: Overview }) {
  const actors = counts.reduce((sum, row) => sum + row.count, 0);
  return (
    <Figures
      figures={[
        { name: 'nodes live', value: `${nodes.filter(({ live }) => live).length} of ${nodes.length}`, to: '/cluster' },
        { name: 'actors', value: count(actors), to: '/actors' },
        { name: 'quarantined', value: count(quarantined.length), to: '/actors?state=quarantined' },
        {
          name: 'dead letters',
          value: count(deadLetters.length),
          to: `/sql?query=${encodeURIComponent('select * from dead_letters limit 100')}`,
        },
      ]}
    />
  );
}

const KINDS = ['request', 'line', 'render'];

function Flights() {
  const { query } = usePlace();
  const live = useLive<FlightList>('/api/inflight', Object.fromEntries(query), 1_000);
  return (
    <Panel
      title="In flight"
      aside={<span class="muted">{live.value !== null && count(live.value.total ?? live.value.data.length)}</span>}
    >
      <Filters
        filters={[
          { name: 'account', label: 'Account', hint: 'acct_… or a name' },
          { name: 'model', label: 'Model' },
          { name: 'kind', label: 'Kind', options: KINDS },
          { name: 'node', label: 'Node' },
        ]}
      />
      <Answer live={live}>
        {({ data }) => (
          <Table
            caption="Requests, batch lines and renders in flight"
            columns={flightColumns(live.refresh)}
            rows={data}
            keyOf={({ id }) => id}
            empty={
              <Empty title="Nothing is in flight">
                <p class="muted">Requests appear here the moment they are admitted.</p>
              </Empty>
            }
          />
        )}
      </Answer>
    </Panel>
  );
}

function flightColumns(refresh: () => void): readonly Column<InFlight>[] {
  return [
    { name: 'Id', cell: ({ id }) => <Id id={id} /> },
    { name: 'Kind', cell: ({ kind }) => kind },
    { name: 'Account', cell: (one) => <ActorLink address={one.account} label={one.accountName} /> },
    { name: 'Key', cell: ({ key, keyName }) => (key === null ? '' : <ActorLink address={key} label={keyName} />) },
    { name: 'Model', cell: ({ model }) => model },
    { name: 'Endpoint', cell: ({ endpoint }) => <EndpointLink id={endpoint} /> },
    { name: 'Phase', cell: ({ phase }) => <StateBadge state={phase} tone="busy" /> },
    { name: 'Tokens', isNumber: true, cell: ({ tokens }) => (tokens === null ? '' : count(tokens)) },
    { name: 'Age', isNumber: true, cell: ({ startedAt }) => <Age since={startedAt} /> },
    { name: 'Held', isNumber: true, cell: ({ held }) => <Money usd={held} /> },
    { name: 'Node', cell: ({ node }) => node },
    {
      name: 'Stop',
      cell: ({ id }) => (
        <Change label="Stop" path={`/api/inflight/${encodeURIComponent(id)}/stop`} isDangerous done={refresh} />
      ),
    },
  ];
}

function EndpointLink({ id }: { readonly id: string | null }) {
  if (id === null) return <span class="muted">not chosen yet</span>;
  return (
    <a class="id" href={hrefOf(`/endpoints/${id}`)} title={id}>
      {id}
    </a>
  );
}

function Nodes({ nodes }: { readonly nodes: readonly NodeView[] }) {
  return (
    <Panel title="Nodes">
      <Table
        caption="Nodes of the cluster"
        rows={nodes}
        keyOf={({ name }) => name}
        empty="No node is known"
        columns={[
          { name: 'Node', cell: ({ name }) => name },
          { name: 'State', cell: ({ state, live }) => <StateBadge state={live ? state : `${state}, not live`} /> },
          {
            name: 'Shards',
            isNumber: true,
            cell: (node) => <Count n={node.shards} to={`/actors?node=${node.name}`} />,
          },
          { name: 'Up for', isNumber: true, cell: ({ startedAt }) => <Age since={startedAt} /> },
          { name: 'Restarts', isNumber: true, cell: ({ restarts }) => (restarts === null ? '' : restarts.total) },
          { name: 'Last end', cell: ({ lastEnd }) => lastEnd?.reason ?? <span class="muted">none</span> },
        ]}
      />
    </Panel>
  );
}

function Takeovers({ events }: { readonly events: readonly ClusterEvent[] }) {
  return (
    <Panel title="Last takeovers" aside={<a href={hrefOf('/cluster')}>All events</a>}>
      <Table
        caption="Newest takeovers"
        rows={events}
        keyOf={({ n }) => String(n)}
        empty="No takeover is recorded"
        columns={[
          { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
          { name: 'What', cell: ({ type }) => <StateBadge state={type} /> },
          { name: 'Node', cell: ({ node }) => node },
          { name: 'Shards', isNumber: true, cell: ({ shards }) => shards ?? '' },
          { name: 'Why', cell: ({ why }) => why ?? '' },
          {
            name: 'Replay',
            cell: ({ type, n }) => type === 'died' && <a href={hrefOf(`/cluster/takeovers/${n}`)}>Replay</a>,
          },
        ]}
      />
    </Panel>
  );
}
