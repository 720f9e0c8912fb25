/** One actor: its chart with the present state lit, why it waits, and everything that it holds and asks for. */
import { useState } from 'preact/hooks';
import { type FeedMessage, useFeed } from '../client/feed.ts';
import { type Live, useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Facts, Json, PageFrame, Panel, Tabs } from '../kit/layout.tsx';
import { Answer, Notice, StateBadge } from '../kit/state.tsx';
import { type ChartState, StateChart } from '../kit/state-chart.tsx';
import { pathsOfState } from '../kit/state-text.ts';
import { Table } from '../kit/table.tsx';
import { ActorLink, Age, duration, Id, Time } from '../kit/text.tsx';
import { KindTab, tabOfPage } from './kind-tab.tsx';
import { Steps } from './steps.tsx';

interface Waiting {
  readonly event: string;
  /** ms. */
  readonly since?: number | null;
}

interface Activity {
  readonly name: string;
  readonly id: string;
  readonly attempt: number;
  readonly running?: boolean;
  readonly runner: string | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly deadlineAt: number | null;
}

interface Transition {
  readonly version: number;
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly epoch: number;
  readonly node: string;
}

interface ActorView {
  readonly address: string;
  readonly kind: string;
  readonly state: string;
  readonly since: number | null;
  readonly label: string | null;
  /** Name of the tab of its kind; null without one. */
  readonly tab: string | null;
  readonly why: readonly string[];
  readonly node: string | null;
  readonly shard: number;
  readonly epoch: number | null;
  readonly version: number;
  readonly chart: number;
  readonly context: unknown;
  readonly rows: Readonly<Record<string, readonly { readonly id: string; readonly body: unknown }[]>>;
  readonly mailbox: Readonly<Record<'system' | 'finish' | 'start', readonly Waiting[]>>;
  readonly uncommitted: number;
  readonly timers: readonly { readonly name: string; readonly dueAt: number; readonly event: string }[];
  readonly outbox: readonly { readonly to: string; readonly event: string; readonly at?: number | null }[];
  readonly activities: readonly Activity[];
  readonly deadLetters: readonly { readonly id: string; readonly event: string; readonly reason: string }[];
  readonly transitions: readonly Transition[];
  readonly links: readonly { readonly address: string; readonly label: string | null; readonly because: string }[];
}

export function ActorPage({ address }: { readonly address: string }) {
  const live = useLive<ActorView>(`/api/actors/${encodeURIComponent(address)}`, {}, 3_000);
  const { query } = usePlace();
  const open = query.get('tab') ?? 'now';
  const one = live.value;
  const tab = one === null ? null : (tabOfPage(one.kind) ?? one.tab);
  return (
    <PageFrame title={one?.label ?? address} what={one?.label ? <Id id={address} /> : undefined}>
      <Tabs
        open={open}
        tabs={[
          { id: 'now', name: 'Now' },
          ...(tab === null ? [] : [{ id: 'kind', name: tab }]),
          { id: 'state', name: 'State and rows' },
          { id: 'time', name: 'Time' },
        ]}
      />
      {open === 'time' && <Steps address={address} />}
      {open === 'kind' && one !== null && <KindTab kind={one.kind} address={one.address} />}
      {open !== 'time' && open !== 'kind' && (
        <Answer live={live}>
          {(actor) => (open === 'state' ? <Stored actor={actor} /> : <Present actor={actor} live={live} />)}
        </Answer>
      )}
    </PageFrame>
  );
}

function Present({ actor, live }: { readonly actor: ActorView; readonly live: Live<ActorView> }) {
  return (
    <>
      <Why actor={actor} />
      <MovingChart actor={actor} refresh={live.refresh} />
      <div class="columns">
        <Whereabouts actor={actor} />
        <Mailbox actor={actor} />
      </div>
      <Waits actor={actor} />
      <Transitions transitions={actor.transitions} />
      <Links links={actor.links} />
    </>
  );
}

function Why({ actor: { why, state, since } }: { readonly actor: ActorView }) {
  return (
    <Notice tone="plain">
      <p>
        <StateBadge state={state} />
        {since !== null && (
          <>
            {' '}
            for <Age since={since} />
          </>
        )}
      </p>
      {why.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </Notice>
  );
}

interface KindChart {
  readonly kind: string;
  readonly chart: ChartState;
}

/** The chart moves with each step as it becomes durable. */
function MovingChart({ actor, refresh }: { readonly actor: ActorView; readonly refresh: () => void }) {
  const charts = useLive<{ readonly data: readonly KindChart[] }>('/api/charts', {}, null);
  const [step, setStep] = useState<{ readonly from: string; readonly to: string } | null>(null);
  useFeed([actor.address], (message: FeedMessage) => {
    if (message.type === 'step') setStep(message);
    refresh();
  });
  const chart = charts.value?.data.find(({ kind }) => kind === actor.kind)?.chart;
  return (
    <Panel title="Chart">
      {chart === undefined ? null : <StateChart chart={chart} lit={pathsOfState(actor.state)} moved={step} />}
    </Panel>
  );
}

function Whereabouts({ actor }: { readonly actor: ActorView }) {
  return (
    <Panel title="Where">
      <Facts
        facts={[
          ['Address', <Id key="address" id={actor.address} />],
          ['Node', actor.node ?? 'no owner now'],
          ['Shard', String(actor.shard)],
          ['Epoch', actor.epoch === null ? null : String(actor.epoch)],
          ['Version', String(actor.version)],
          ['Chart version', String(actor.chart)],
          ['Steps not committed yet', String(actor.uncommitted)],
        ]}
      />
    </Panel>
  );
}

const LANES = ['system', 'finish', 'start'] as const;

function Mailbox({ actor: { mailbox } }: { readonly actor: ActorView }) {
  const rows = LANES.flatMap((lane) => mailbox[lane].map((waiting, i) => ({ ...waiting, lane, i })));
  return (
    <Panel title="Mailbox">
      <Table
        caption="Messages that wait"
        rows={rows}
        keyOf={({ lane, i }) => `${lane} ${i}`}
        empty="No message waits"
        columns={[
          { name: 'Lane', cell: ({ lane }) => lane },
          { name: 'Event', cell: ({ event }) => <code>{event}</code> },
          { name: 'Waits for', isNumber: true, cell: ({ since }) => <Age since={since} /> },
        ]}
      />
    </Panel>
  );
}

function Waits({ actor: { timers, activities, outbox, deadLetters } }: { readonly actor: ActorView }) {
  return (
    <div class="columns">
      <Panel title="Timers">
        <Table
          caption="Timers that are set"
          rows={timers}
          keyOf={({ name }) => name}
          empty="No timer is set"
          columns={[
            { name: 'Timer', cell: ({ name }) => name },
            { name: 'Event', cell: ({ event }) => <code>{event}</code> },
            { name: 'Due (UTC)', cell: ({ dueAt }) => <Time at={dueAt} /> },
          ]}
        />
      </Panel>
      <Panel title="Activities">
        <Table
          caption="Activities that are open"
          rows={activities}
          keyOf={({ name, id }) => `${name} ${id}`}
          empty="No activity is open"
          columns={[
            { name: 'Activity', cell: ({ name, id }) => `${name} ${id}` },
            { name: 'Attempt', isNumber: true, cell: ({ attempt }) => attempt },
            { name: 'Runner', cell: ({ runner }) => runner ?? <span class="muted">waits</span> },
            {
              name: 'Last failure',
              cell: ({ failure }) => (failure === null ? '' : `${failure.code}: ${failure.message}`),
            },
          ]}
        />
      </Panel>
      <Panel title="Outbox">
        <Table
          caption="Messages to other shards that are not acknowledged"
          rows={outbox}
          keyOf={({ to, event }) => `${to} ${event}`}
          empty="Nothing is on its way"
          columns={[
            { name: 'To', cell: ({ to }) => <ActorLink address={to} /> },
            { name: 'Event', cell: ({ event }) => <code>{event}</code> },
          ]}
        />
      </Panel>
      {deadLetters.length > 0 && (
        <Panel title="Dead letters">
          <Table
            caption="Dead letters"
            rows={deadLetters}
            keyOf={({ id }) => id}
            empty=""
            columns={[
              { name: 'Id', cell: ({ id }) => <Id id={id} /> },
              { name: 'Event', cell: ({ event }) => <code>{event}</code> },
              { name: 'Reason', cell: ({ reason }) => reason },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

function Transitions({ transitions }: { readonly transitions: readonly Transition[] }) {
  const newest = transitions.toReversed();
  return (
    <Panel title="Last transitions">
      <Table
        caption="Last transitions, newest first"
        rows={newest}
        keyOf={({ version }) => String(version)}
        empty="No transition is recorded"
        columns={[
          { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
          { name: 'Event', cell: ({ event }) => <code>{event}</code> },
          { name: 'From', cell: ({ from }) => from },
          { name: 'To', cell: ({ to }) => to },
          { name: 'After', isNumber: true, cell: (step) => sinceOf(step, newest) },
          { name: 'Node', cell: ({ node }) => node },
          { name: 'Epoch', isNumber: true, cell: ({ epoch }) => epoch },
          { name: 'Version', isNumber: true, cell: ({ version }) => version },
        ]}
      />
    </Panel>
  );
}

function sinceOf({ version, at }: Transition, newest: readonly Transition[]): string {
  const before = newest.find((step) => step.version < version);
  return before === undefined ? '' : duration(at - before.at);
}

function Links({ links }: { readonly links: ActorView['links'] }) {
  return (
    <Panel title="Talks to">
      <Table
        caption="Actors that this one talks to"
        rows={links}
        keyOf={({ address }) => address}
        empty="It names no other actor"
        columns={[
          { name: 'Actor', cell: ({ address, label }) => <ActorLink address={address} label={label} /> },
          { name: 'Because', cell: ({ because }) => because },
        ]}
      />
    </Panel>
  );
}

function Stored({ actor }: { readonly actor: ActorView }) {
  return (
    <>
      <Panel title="State">
        <Json value={actor.context} label="The actor's state" />
      </Panel>
      {Object.entries(actor.rows).map(([collection, rows]) => (
        <Panel key={collection} title={`Open rows of ${collection}`}>
          <Table
            caption={`Open rows of ${collection}`}
            rows={rows}
            keyOf={({ id }) => id}
            empty="No row is open"
            columns={[
              { name: 'Id', cell: ({ id }) => <code>{id}</code> },
              { name: 'Body', cell: ({ body }) => <code>{JSON.stringify(body)}</code> },
            ]}
          />
        </Panel>
      ))}
    </>
  );
}
