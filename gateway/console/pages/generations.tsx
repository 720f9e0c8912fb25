/** Generations of every account: search at any size, and one request on a time line over all actors that it touched. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { Filters } from '../kit/filters.tsx';
import { Facts, PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, Notice, StateBadge } from '../kit/state.tsx';
import { Listing, Table } from '../kit/table.tsx';
import { ActorLink, count, dateTime, duration, Id, Money, Time } from '../kit/text.tsx';

interface GenerationRow {
  readonly id: string;
  readonly at: number;
  readonly endedAt: number | null;
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly key: string;
  readonly keyName: string | null;
  readonly model: string;
  readonly provider: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cost: string | null;
}

interface Span {
  readonly at: number;
  readonly endedAt: number | null;
  readonly actor: string;
  readonly what: string;
  readonly node: string | null;
  readonly epoch: number | null;
  readonly version: number | null;
  readonly detail: string | null;
}

interface Timeline {
  readonly id: string;
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly model: string;
  readonly spans: readonly Span[];
  readonly breaks: readonly { readonly at: number; readonly node: string; readonly why: string }[];
  readonly charge: readonly {
    readonly name: string;
    readonly quantity: string;
    /** Null: the tariff of that time is no longer known. */
    readonly price: string | null;
    readonly amount: string | null;
  }[];
  readonly total: string | null;
  readonly held: string | null;
  readonly countedBy: string | null;
  readonly rounding: string | null;
  readonly hints: readonly string[];
}

const STATUSES = ['running', 'completed', 'failed', 'cancelled'];

export function GenerationsPage() {
  const { query } = usePlace();
  const live = useLive<Page<GenerationRow>>('/api/generations', Object.fromEntries(query), 5_000);
  return (
    <PageFrame
      title="Generations"
      what="Every request, batch line and render that was charged or refused after its hold."
    >
      <Panel title="Search">
        <Filters
          filters={[
            { name: 'account', label: 'Account', hint: 'acct_…' },
            { name: 'key', label: 'Key', hint: 'key_…' },
            { name: 'model', label: 'Model' },
            { name: 'endpoint', label: 'Endpoint', hint: 'ep_…' },
            { name: 'status', label: 'Status', options: STATUSES },
            { name: 'day', label: 'Day (UTC)', type: 'date' },
            { name: 'minCost', label: 'Cost at least', hint: 'USD' },
            { name: 'session', label: 'Session' },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Generations, newest first"
          keyOf={({ id }) => id}
          to={({ id }) => `/generations/${id}`}
          empty="No generation matches"
          columns={[
            {
              name: 'Generation',
              cell: ({ id }) => (
                <code class="id" title={id}>
                  {id}
                </code>
              ),
            },
            { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
            { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
            { name: 'Account', cell: (one) => <ActorLink address={one.account} label={one.accountName} /> },
            { name: 'Key', cell: (one) => <ActorLink address={one.key} label={one.keyName} /> },
            { name: 'Model', cell: ({ model }) => model },
            { name: 'Provider', cell: ({ provider }) => provider ?? '' },
            { name: 'Prompt', isNumber: true, cell: (one) => tokens(one.promptTokens) },
            { name: 'Completion', isNumber: true, cell: (one) => tokens(one.completionTokens) },
            { name: 'Cost', isNumber: true, cell: ({ cost }) => <Money usd={cost} /> },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}

function tokens(n: number | null): string {
  return n === null ? '' : count(n);
}

export function GenerationPage({ id }: { readonly id: string }) {
  const live = useLive<Timeline>(`/api/generations/${encodeURIComponent(id)}/timeline`, {}, 3_000);
  return (
    <PageFrame
      title="One request"
      what={<Id id={id} />}
      actions={
        <Change
          label="Refund"
          path={`/api/generations/${encodeURIComponent(id)}/refund`}
          isDangerous
          done={live.refresh}
        />
      }
    >
      <Answer live={live}>
        {(timeline) => (
          <>
            {timeline.hints.map((hint) => (
              <Notice key={hint} tone="warn">
                {hint}
              </Notice>
            ))}
            <Charge timeline={timeline} />
            <Lines timeline={timeline} />
          </>
        )}
      </Answer>
    </PageFrame>
  );
}

function Charge({ timeline }: { readonly timeline: Timeline }) {
  return (
    <Panel title="What it cost">
      <Facts
        facts={[
          ['Status', <StateBadge key="status" state={timeline.status} />],
          ['Account', <ActorLink key="account" address={timeline.account} label={timeline.accountName} />],
          ['Model', timeline.model],
          ['Held', <Money key="held" usd={timeline.held} isExact />],
          ['Charged', <Money key="total" usd={timeline.total} isExact />],
          ['Counted by', timeline.countedBy],
          ['Rounding', timeline.rounding],
        ]}
      />
      <Table
        caption="Parts of the charge"
        rows={timeline.charge}
        keyOf={({ name }) => name}
        empty="Nothing is charged"
        columns={[
          { name: 'Part', cell: ({ name }) => name },
          { name: 'Quantity', isNumber: true, cell: ({ quantity }) => quantity },
          { name: 'Price', isNumber: true, cell: ({ price }) => price },
          { name: 'Amount', isNumber: true, cell: ({ amount }) => <Money usd={amount} isExact /> },
        ]}
      />
    </Panel>
  );
}

interface Scale {
  readonly from: number;
  readonly ms: number;
}

const LINE_PX = 1_000;
const BAR_PX = 12;

/** Each line is one part of the work; a bar shows when, and a mark where a node died and another went on. */
function Lines({ timeline: { spans, breaks } }: { readonly timeline: Timeline }) {
  const from = Math.min(...spans.map(({ at }) => at));
  const to = Math.max(...spans.map(({ at, endedAt }) => endedAt ?? at), ...breaks.map(({ at }) => at));
  const scale = { from, ms: Math.max(1, to - from) };
  return (
    <Panel title="Time line" aside={<span class="muted">{duration(scale.ms)} in all</span>}>
      {breaks.map(({ at, node, why }) => (
        <Notice key={at} tone="bad">
          {node} ended at {dateTime(at)} ({why}); what follows ran at its successor.
        </Notice>
      ))}
      <ol class="timeline">
        {spans.map((span) => (
          <li key={`${span.at} ${span.actor} ${span.what}`}>
            <div>
              <b>{span.what}</b> <ActorLink address={span.actor} />
            </div>
            <Bar span={span} scale={scale} breaks={breaks} />
            <p class="muted">
              {whereOf(span, scale)}
              {span.detail !== null && `, ${span.detail}`}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function whereOf({ at, endedAt, node, epoch, version }: Span, { from }: Scale): string {
  const parts = [
    `after ${duration(at - from)}`,
    endedAt === null ? '' : `for ${duration(endedAt - at)}`,
    node === null ? '' : `at ${node}`,
    epoch === null ? '' : `epoch ${epoch}`,
    version === null ? '' : `version ${version}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function Bar({
  span,
  scale,
  breaks,
}: {
  readonly span: Span;
  readonly scale: Scale;
  readonly breaks: Timeline['breaks'];
}) {
  const xOf = (ms: number): number => ((ms - scale.from) / scale.ms) * LINE_PX;
  const end = span.endedAt ?? span.at;
  return (
    <svg class="line" viewBox={`0 0 ${LINE_PX} ${BAR_PX}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" x={0} y={BAR_PX / 2 - 1} width={LINE_PX} height={2} />
      <rect class="span" x={xOf(span.at)} y={1} width={Math.max(4, xOf(end) - xOf(span.at))} height={BAR_PX - 2} />
      {breaks.map(({ at }) => (
        <rect key={at} class="break" x={xOf(at)} y={0} width={4} height={BAR_PX} />
      ))}
    </svg>
  );
}
