/** Time: an actor's recorded steps, what each changed, and the same event stepped again. */
import { useState } from 'preact/hooks';
import { ApiFault, type Page, post } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { setQuery, usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
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
              <Slider path={path} steps={recorded.toReversed()} />
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
function Slider({ path, steps }: { readonly path: string; readonly steps: readonly StepRow[] }) {
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
      <OneStep path={`${path}/${step.version}`} />
    </>
  );
}

function OneStep({ path }: { readonly path: string }) {
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
          <AgainPart path={path} step={step} />
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

/** Steps the event once more, in a sandbox: nothing leaves it. */
function AgainPart({ path, step }: { readonly path: string; readonly step: StepView }) {
  const [told, setTold] = useState<Again | string | null>(null);
  const again = async (): Promise<void> => {
    try {
      setTold(await post<Again>(`${path}/again`, {}));
    } catch (error) {
      setTold(error instanceof ApiFault ? error.message : String(error));
    }
  };
  return (
    <div aria-live="polite">
      <button type="button" onClick={() => void again()}>
        Step {step.event.type} again
      </button>
      {typeof told === 'string' && <Notice tone="bad">{told}</Notice>}
      {told !== null && typeof told !== 'string' && (
        <>
          <Notice tone={told.equal ? 'good' : 'bad'}>
            {told.equal ? 'The running build does the same.' : 'The running build does something else.'}
          </Notice>
          {!told.equal && <Differences rows={told.difference} caption="What is different" />}
        </>
      )}
    </div>
  );
}
