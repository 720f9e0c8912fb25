/** Time: an actor's recorded steps, what each changed, and the same event stepped again. */
import { useContext, useState } from 'preact/hooks';
import { ApiFault, type Page, post } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { setQuery, usePlace } from '../client/place.ts';
import { Change, SignedIn } from '../kit/change.tsx';
import { Facts, Json, Panel } from '../kit/layout.tsx';
import { Answer, Empty, Notice } from '../kit/state.tsx';
import { Table } from '../kit/table.tsx';
import { Time } from '../kit/text.tsx';

interface StepRow {
  readonly version: number;
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly node: string;
  readonly epoch: number;
  readonly recorded: boolean;
}

interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface StepView {
  readonly version: number;
  readonly at: number;
  readonly event: { readonly type: string };
  readonly node: string;
  readonly epoch: number;
  readonly chart: number;
  readonly difference: readonly Difference[];
  readonly before: unknown;
  readonly after: unknown;
}

interface Again {
  readonly equal: boolean;
  readonly difference: readonly Difference[];
  readonly effects: readonly unknown[];
  /** Null: the record does not say. */
  readonly sameEffects: boolean | null;
  /** Why it was not taken; null if it was. */
  readonly failure: string | null;
}

export function Steps({ address }: { readonly address: string }) {
  const path = `/api/actors/${encodeURIComponent(address)}/steps`;
  const { query } = usePlace();
  const live = useLive<Page<StepRow>>(path, { limit: 200, cursor: query.get('cursor') }, 3_000);
  return (
    <Answer live={live}>
      {({ data, next }) => {
        const recorded = data.filter((step) => step.recorded);
        return (
          <Panel title="Recorded steps" aside={<RecordButton address={address} done={live.refresh} />}>
            {recorded.length === 0 ? (
              <Empty title="No step of this actor is recorded">
                <p class="muted">Record it for some minutes; its next steps then appear here.</p>
              </Empty>
            ) : (
              <Slider path={path} address={address} steps={recorded.toReversed()} />
            )}
            {next !== null && (
              <button type="button" onClick={() => setQuery({ cursor: next })}>
                Older steps
              </button>
            )}
          </Panel>
        );
      }}
    </Answer>
  );
}

function RecordButton({ address, done }: { readonly address: string; readonly done: () => void }) {
  return (
    <Change
      label="Record"
      path={`/api/actors/${encodeURIComponent(address)}/record`}
      inputs={[{ name: 'minutes', label: 'Minutes', type: 'number', value: '10' }]}
      done={done}
    />
  );
}

/** Oldest at the left; the arrows of the keyboard move it by one step. */
function Slider({
  path,
  address,
  steps,
}: {
  readonly path: string;
  readonly address: string;
  readonly steps: readonly StepRow[];
}) {
  const { query } = usePlace();
  const wanted = Number(query.get('step'));
  const found = steps.findIndex(({ version }) => version === wanted);
  const at = found < 0 ? steps.length - 1 : found;
  const step = steps[at] as StepRow;
  return (
    <>
      <label class="slider">
        <span>
          Step {at + 1} of {steps.length}: <code>{step.event}</code> at <Time at={step.at} /> on {step.node}
        </span>
        <input
          type="range"
          min={0}
          max={steps.length - 1}
          value={at}
          onInput={(event) => setQuery({ step: String(steps[Number(event.currentTarget.value)]?.version ?? '') })}
        />
      </label>
      <OneStep path={`${path}/${step.version}`} address={address} />
    </>
  );
}

function OneStep({ path, address }: { readonly path: string; readonly address: string }) {
  const live = useLive<StepView>(path, {}, null);
  return (
    <Answer live={live}>
      {(step) => (
        <>
          <Facts
            facts={[
              ['Version', String(step.version)],
              ['Node', step.node],
              ['Epoch', String(step.epoch)],
              ['Chart version', String(step.chart)],
            ]}
          />
          <Differences rows={step.difference} caption="What the step changed" />
          <AgainPart key={path} path={path} address={address} step={step} />
          <details>
            <summary>Event, and the state before and after</summary>
            <div class="columns">
              <Json value={step.event} label="The event" />
              <Json value={step.before} label="The state before" />
              <Json value={step.after} label="The state after" />
            </div>
          </details>
        </>
      )}
    </Answer>
  );
}

function Differences({ rows, caption }: { readonly rows: readonly Difference[]; readonly caption: string }) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ path }) => path}
      empty="The state did not change"
      columns={[
        { name: 'Member', cell: ({ path }) => <code>{path}</code> },
        { name: 'Before', cell: ({ before }) => <code>{JSON.stringify(before)}</code> },
        { name: 'After', cell: ({ after }) => <code>{JSON.stringify(after)}</code> },
      ]}
    />
  );
}

/** What a step came to, or why it was not taken. */
type Told = { readonly by: string; readonly again: Again } | { readonly fault: string };

/** Takes the step once more, with the running build or another one, in a sandbox: nothing leaves it. */
function AgainPart({
  path,
  address,
  step,
}: {
  readonly path: string;
  readonly address: string;
  readonly step: StepView;
}) {
  const builds = useLive<Page<{ readonly name: string }>>('/api/builds', {}, null).value?.data ?? [];
  const mayRun = useContext(SignedIn)?.role === 'operator';
  const [build, setBuild] = useState('');
  const recorded = JSON.stringify(step.event, null, 2);
  const [event, setEvent] = useState(recorded);
  const [told, setTold] = useState<Told | null>(null);
  const [busy, setBusy] = useState(false);
  const take = async (): Promise<void> => {
    setBusy(true);
    setTold(
      await taken(build === '' ? `${path}/again` : `${path}/again/${build}`, event === recorded ? null : event, build),
    );
    setBusy(false);
  };
  return (
    <form
      class="again"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void take();
      }}
    >
      {mayRun && (
        <details>
          <summary>Take another event in its place</summary>
          <label class="field">
            <span>Event, as JSON; what its kind hides is hidden here too</span>
            <textarea
              rows={8}
              spellcheck={false}
              value={event}
              onInput={(input) => setEvent(input.currentTarget.value)}
            />
          </label>
        </details>
      )}
      <div class="actions">
        {builds.length > 0 && mayRun && (
          <label class="field">
            <span>With</span>
            <select value={build} onChange={(input) => setBuild(input.currentTarget.value)}>
              <option value="">the running build</option>
              {builds.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" disabled={busy}>
          {busy ? 'It is being taken' : `Step ${step.event.type} again`}
        </button>
      </div>
      <p class="muted">
        All steps by command: <code>{`troupe replay ${address}${build === '' ? '' : ' --build DIR'}`}</code>
      </p>
      <div aria-live="polite">{told !== null && <Outcome told={told} />}</div>
    </form>
  );
}

async function taken(path: string, event: string | null, build: string): Promise<Told> {
  try {
    const body = event === null ? {} : { event: JSON.parse(event) as object };
    const by = build === '' ? 'The running build' : `The build $build`;
    return { by: event === null ? by : `$by, with this event,`, again: await post<Again>(path, body) };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: `The event is no JSON: $error.message` };
    return { fault: error instanceof ApiFault ? error.message : String(error) };
  }
}

function Outcome({ told }: { readonly told: Told }) {
  if ('fault' in told) return <Notice tone="bad">{told.fault}</Notice>;
  const { by, again } = told;
  if (again.failure !== null) return <Notice tone="bad">{`$bydoes not take it: $again.failure`}</Notice>;
  if (again.equal) return <Notice tone="good">{by} does the same.</Notice>;
  return (
    <>
      <Notice tone="bad">
        {by} does something else{again.sameEffects === false ? '; its effects differ too' : ''}.
      </Notice>
      <Differences rows={again.difference} caption="What is different from the recorded state after the step" />
      <details>
        <summary>Its effects, none of which left</summary>
        <Json value={again.effects} label="The effects" />
      </details>
    </>
  );
}
