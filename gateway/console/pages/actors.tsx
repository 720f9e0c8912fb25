/** Actors: every kind's chart with the number of actors in each state, and the actors of a filter. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { type ChartState, StateChart } from '../kit/state-chart.tsx';
import { isWithin } from '../kit/state-text.ts';
import { Listing } from '../kit/table.tsx';
import { Age, actorPath, Count } from '../kit/text.tsx';

interface KindChart {
  readonly kind: string;
  readonly version: number;
  readonly chart: ChartState;
  /** Actors by the path of a state, nested and parallel ones too. */
  readonly counts: Readonly<Record<string, number>>;
}

interface ListedActor {
  readonly address: string;
  readonly kind: string;
  readonly state: string;
  /** ms; null of a quarantined actor. */
  readonly since: number | null;
  readonly node: string | null;
  readonly label: string | null;
}

export function ActorsPage() {
  const { query } = usePlace();
  const charts = useLive<Page<KindChart>>('/api/charts', {}, 5_000);
  const kind = query.get('kind');
  return (
    <PageFrame title="Actors" what="Every account, key, job, file and endpoint is an actor with a chart of its own.">
      <Answer live={charts}>
        {({ data }) =>
          kind === null ? <Kinds kinds={data} /> : <OneKind kind={data.find((it) => it.kind === kind)} />
        }
      </Answer>
      <ActorList kinds={charts.value?.data ?? []} />
    </PageFrame>
  );
}

function Kinds({ kinds }: { readonly kinds: readonly KindChart[] }) {
  return (
    <Panel title="Kinds">
      <ul class="kinds">
        {kinds.map(({ kind, counts }) => (
          <li key={kind}>
            <a href={hrefOf(`/actors?kind=${kind}`)}>{kind}</a>
            {innermost(counts).map(([state, n]) => (
              <span key={state}>
                <StateBadge state={state} />{' '}
                <Count n={n} to={`/actors?kind=${kind}&state=${encodeURIComponent(state)}`} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The states that actors are in, without those around them. */
function innermost(counts: KindChart['counts']): readonly (readonly [path: string, n: number])[] {
  const all = Object.entries(counts);
  return all.filter(([path]) => !all.some(([other]) => other !== path && isWithin(path, other)));
}

function OneKind({ kind }: { readonly kind: KindChart | undefined }) {
  if (kind === undefined) return null;
  return (
    <Panel title={`Chart of ${kind.kind}`} aside={<a href={hrefOf('/actors')}>All kinds</a>}>
      <StateChart
        chart={kind.chart}
        counts={kind.counts}
        to={(path) => hrefOf(`/actors?kind=${kind.kind}&state=${encodeURIComponent(path)}`)}
      />
    </Panel>
  );
}

function ActorList({ kinds }: { readonly kinds: readonly KindChart[] }) {
  const { query } = usePlace();
  const live = useLive<Page<ListedActor>>('/api/actors', Object.fromEntries(query), 5_000);
  const of = kinds.find(({ kind }) => kind === query.get('kind'));
  return (
    <Panel title="List">
      <Filters
        filters={[
          { name: 'kind', label: 'Kind', options: kinds.map(({ kind }) => kind) },
          { name: 'state', label: 'State', options: of && Object.keys(of.counts).sort() },
          { name: 'account', label: 'Account', hint: 'acct_…' },
          { name: 'node', label: 'Node' },
        ]}
      />
      <Listing
        live={live}
        cursor={query.get('cursor')}
        caption="Actors"
        order={query.get('order') ?? undefined}
        keyOf={({ address }) => address}
        to={({ address }) => actorPath(address)}
        empty="No actor matches"
        columns={[
          { name: 'Actor', cell: ({ address, label }) => label ?? <code>{address}</code> },
          { name: 'Kind', cell: (one) => one.kind },
          { name: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { name: 'In state for', isNumber: true, order: 'age', cell: ({ since }) => <Age since={since} /> },
          { name: 'Node', cell: ({ node }) => node ?? <span class="muted">no owner</span> },
        ]}
      />
    </Panel>
  );
}
