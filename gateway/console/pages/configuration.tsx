/** The configuration that runs, and what a file would change. */
import { useId, useState } from 'preact/hooks';
import { ApiFault, post } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { Facts, Json, PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';

interface Running {
  readonly node: string;
  readonly incarnation: string;
  readonly state: string;
  readonly config: object;
}

interface Checked {
  /** Null: every node could run with it. */
  readonly fault: string | null;
  readonly changes?: readonly string[];
}

export function ConfigurationPage() {
  const live = useLive<Running>('/api/config', {}, null);
  return (
    <PageFrame title="Configuration" what="What the node runs with, without secrets, and what a file would change.">
      <CheckPanel />
      <Answer live={live}>
        {({ node, state, config }) => (
          <Panel title="What runs">
            <Facts
              facts={[
                ['Node', node],
                ['State', <StateBadge key="state" state={state} />],
              ]}
            />
            <Json value={config} label="The configuration of the node" />
          </Panel>
        )}
      </Answer>
    </PageFrame>
  );
}

function CheckPanel() {
  const id = useId();
  const [text, setText] = useState('');
  const [told, setTold] = useState<{ readonly tone: 'good' | 'bad'; readonly lines: readonly string[] } | null>(null);
  const check = async (event: Event): Promise<void> => {
    event.preventDefault();
    setTold(await checked(text));
  };
  return (
    <Panel title="What a file would change">
      <form onSubmit={(event) => void check(event)}>
        <div class="field">
          <label for={id}>Configuration as JSON</label>
          <textarea id={id} rows={6} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </div>
        <div class="actions">
          <button type="submit" disabled={text.trim() === ''}>
            Check
          </button>
          <span class="muted">
            The same by command: <code>troupe config check FILE</code>
          </span>
        </div>
      </form>
      <div aria-live="polite">
        {told?.lines.map((line) => (
          <p key={line} class={`notice ${told.tone}`}>
            {line}
          </p>
        ))}
      </div>
    </Panel>
  );
}

async function checked(text: string): Promise<{ readonly tone: 'good' | 'bad'; readonly lines: readonly string[] }> {
  try {
    const { fault, changes = [] } = await post<Checked>('/api/config/check', JSON.parse(text) as object);
    if (fault !== null) return { tone: 'bad', lines: [fault] };
    return { tone: 'good', lines: changes.length === 0 ? ['The node could run with it.'] : changes };
  } catch (error) {
    const words = error instanceof ApiFault ? error.message : `This is not JSON: ${String(error)}`;
    return { tone: 'bad', lines: [words] };
  }
}
