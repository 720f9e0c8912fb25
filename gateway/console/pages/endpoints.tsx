/** Providers and their endpoints: health, latency, success, and what they cost against what they earn. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { Filters } from '../kit/filters.tsx';
import { Facts, PageFrame, Panel } from '../kit/layout.tsx';
import { Series } from '../kit/series.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { Listing, Table } from '../kit/table.tsx';
import { ActorLink, Age, Id, Money, Time } from '../kit/text.tsx';

interface ProviderRow {
  readonly slug: string;
  readonly health: string;
  readonly endpoints: number;
  readonly serving: number;
  readonly paused: { readonly reason: string; readonly since: number } | null;
  readonly lastFailure: Failure | null;
  readonly why: readonly string[];
}

interface Failure {
  readonly category: string;
  readonly message: string;
  readonly at: number;
}

interface EndpointRow {
  readonly id: string;
  readonly address: string;
  readonly provider: string;
  readonly model: string;
  readonly health: string;
  readonly latencyMs: { readonly p50: number | null; readonly p99: number | null } | null;
  readonly successPercent: number | null;
  readonly attempts: number;
  readonly lastFailure: Failure | null;
}

interface Attempt {
  readonly at: number;
  readonly outcome: string;
  readonly ttftMs: number | null;
  readonly durationMs: number | null;
  readonly message: string | null;
}

interface EndpointView extends EndpointRow {
  readonly why: readonly string[];
  readonly paused: { readonly reason: string; readonly since: number } | null;
  /** Of today; null where nothing was charged. */
  readonly earned: { readonly charged: string; readonly provider: string; readonly marketplace: string } | null;
  readonly attemptRing: readonly Attempt[];
  readonly series: {
    readonly at: readonly number[];
    readonly latencyMs: readonly (number | null)[];
    readonly successPercent: readonly (number | null)[];
  };
}

const HEALTHS = ['healthy', 'degraded', 'down', 'unknown', 'paused'];

export function EndpointsPage() {
  const { query } = usePlace();
  const providers = useLive<Page<ProviderRow>>('/api/providers', {}, 5_000);
  const endpoints = useLive<Page<EndpointRow>>('/api/endpoints', Object.fromEntries(query), 5_000);
  return (
    <PageFrame title="Endpoints" what="Providers that sell, and the endpoints that requests are routed to.">
      <Panel title="Providers">
        <Answer live={providers}>{({ data }) => <Providers rows={data} refresh={providers.refresh} />}</Answer>
      </Panel>
      <Panel title="Endpoints">
        <Filters
          filters={[
            { name: 'provider', label: 'Provider', options: (providers.value?.data ?? []).map(({ slug }) => slug) },
            { name: 'model', label: 'Model' },
            { name: 'health', label: 'Health', options: HEALTHS },
          ]}
        />
        <Listing
          live={endpoints}
          cursor={query.get('cursor')}
          caption="Endpoints that requests are routed to"
          order={query.get('order') ?? undefined}
          keyOf={({ id }) => id}
          to={({ id }) => `/endpoints/${id}`}
          empty="No endpoint matches"
          columns={[
            { name: 'Endpoint', cell: ({ provider, model }) => `${model} at ${provider}` },
            { name: 'Health', cell: ({ health }) => <StateBadge state={health} /> },
            { name: 'Latency, median', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs?.p50) },
            {
              name: 'Latency, p99',
              isNumber: true,
              order: 'latency',
              cell: ({ latencyMs }) => milliseconds(latencyMs?.p99),
            },
            {
              name: 'Success',
              isNumber: true,
              order: 'success',
              cell: ({ successPercent }) => percent(successPercent),
            },
            { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
            { name: 'Last failure', cell: ({ lastFailure }) => <LastFailure failure={lastFailure} /> },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}

function milliseconds(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '' : `${Math.round(ms)} ms`;
}

function percent(value: number | null): string {
  return value === null ? '' : `${value.toFixed(1)} %`;
}

function LastFailure({ failure }: { readonly failure: Failure | null }) {
  if (failure === null) return null;
  return (
    <>
      {failure.category}: {failure.message}{' '}
      <span class="muted">
        <Age since={failure.at} /> ago
      </span>
    </>
  );
}

function Providers({ rows, refresh }: { readonly rows: readonly ProviderRow[]; readonly refresh: () => void }) {
  return (
    <Table
      caption="Providers that sell"
      rows={rows}
      keyOf={({ slug }) => slug}
      empty="No provider is declared"
      columns={[
        { name: 'Provider', cell: ({ slug }) => <ActorLink address={`provider:${slug}`} label={slug} /> },
        { name: 'Health', cell: ({ health }) => <StateBadge state={health} /> },
        { name: 'Serving', cell: ({ serving, endpoints }) => `${serving} of ${endpoints}` },
        { name: 'Why', cell: ({ why }) => why[0] ?? '' },
        { name: 'Last failure', cell: ({ lastFailure }) => <LastFailure failure={lastFailure} /> },
        {
          name: 'Pause',
          cell: ({ slug, paused }) => (
            <Change
              label={paused === null ? `Pause ${slug}` : `Resume ${slug}`}
              path={`/api/providers/${slug}/${paused === null ? 'pause' : 'resume'}`}
              done={refresh}
            />
          ),
        },
      ]}
    />
  );
}

export function EndpointPage({ id }: { readonly id: string }) {
  const live = useLive<EndpointView>(`/api/endpoints/${encodeURIComponent(id)}`, {}, 3_000);
  const one = live.value;
  const title = one === null ? id : `${one.model} at ${one.provider}`;
  return (
    <PageFrame
      title={title}
      what={<Id id={id} />}
      actions={one !== null && <Actions endpoint={one} refresh={live.refresh} />}
    >
      <Answer live={live}>{(endpoint) => <EndpointParts endpoint={endpoint} />}</Answer>
    </PageFrame>
  );
}

function Actions({
  endpoint: { id, paused },
  refresh,
}: {
  readonly endpoint: EndpointView;
  readonly refresh: () => void;
}) {
  return (
    <>
      <Change label="Check now" path={`/api/endpoints/${id}/check`} done={refresh} />
      <Change
        label={paused === null ? 'Pause' : 'Resume'}
        path={`/api/endpoints/${id}/${paused === null ? 'pause' : 'resume'}`}
        done={refresh}
      />
    </>
  );
}

/** The tab of an endpoint's actor. */
export function EndpointTab({ id }: { readonly id: string }) {
  const live = useLive<EndpointView>(`/api/endpoints/${encodeURIComponent(id)}`, {}, 3_000);
  return <Answer live={live}>{(endpoint) => <EndpointParts endpoint={endpoint} />}</Answer>;
}

function EndpointParts({ endpoint }: { readonly endpoint: EndpointView }) {
  const { series } = endpoint;
  return (
    <>
      <Panel title="Health">
        {endpoint.why.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <Facts
          facts={[
            ['Health', <StateBadge key="health" state={endpoint.health} />],
            ['Actor', <ActorLink key="actor" address={endpoint.address} />],
            ['Latency, median', milliseconds(endpoint.latencyMs?.p50)],
            ['Latency, p99', milliseconds(endpoint.latencyMs?.p99)],
            ['Success', percent(endpoint.successPercent)],
            ['Charged today', <Money key="charged" usd={endpoint.earned?.charged} />],
            ["Of it the provider's", <Money key="provider" usd={endpoint.earned?.provider} />],
            ["Of it the marketplace's", <Money key="marketplace" usd={endpoint.earned?.marketplace} />],
          ]}
        />
      </Panel>
      <div class="columns">
        <Panel title="Latency">
          <Series
            title="First byte, median"
            unit="ms"
            at={series.at}
            lines={[{ name: 'median', values: series.latencyMs }]}
          />
        </Panel>
        <Panel title="Success">
          <Series
            title="Attempts that succeeded"
            unit="%"
            at={series.at}
            lines={[{ name: 'success', values: series.successPercent }]}
          />
        </Panel>
      </div>
      <Attempts ring={endpoint.attemptRing} />
    </>
  );
}

function Attempts({ ring }: { readonly ring: readonly Attempt[] }) {
  return (
    <Panel title="Newest attempts">
      <Table
        caption="Newest attempts, newest first"
        rows={ring.map((attempt, n) => ({ ...attempt, n }))}
        keyOf={({ n }) => String(n)}
        empty="No attempt was made yet"
        columns={[
          { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
          { name: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> },
          { name: 'First token', isNumber: true, cell: ({ ttftMs }) => milliseconds(ttftMs) },
          { name: 'Total', isNumber: true, cell: ({ durationMs }) => milliseconds(durationMs) },
          { name: 'Why it failed', cell: ({ message }) => message ?? '' },
        ]}
      />
    </Panel>
  );
}
