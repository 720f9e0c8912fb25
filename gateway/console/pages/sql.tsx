/** Read-only queries over the views that both stores have. */
import { useId, useState } from 'preact/hooks';
import { ApiFault, post } from '../client/api.ts';
import { setQuery, usePlace } from '../client/place.ts';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { Notice } from '../kit/state.tsx';
import { Table } from '../kit/table.tsx';
import { count, duration } from '../kit/text.tsx';

interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly ms: number;
  /** True if there were more rows than are shown. */
  readonly cut: boolean;
}

const EXAMPLES = [
  'select kind, state, count(*) as n from actors group by kind, state order by n desc',
  "select model, count(*) as n, sum(cost) as usd from generations where status = 'completed' group by model",
  'select address, state, since from actors order by since limit 20',
];

export function SqlPage() {
  const id = useId();
  const { query } = usePlace();
  const [text, setText] = useState(query.get('query') ?? EXAMPLES[0] ?? '');
  const [result, setResult] = useState<Result | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    setQuery({ query: text });
    try {
      setResult(await post<Result>('/api/sql', { query: text }));
    } catch (error) {
      setResult(null);
      setFault(error instanceof ApiFault ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <PageFrame
      title="SQL"
      what="Views: actors, steps, rows, generations, ledger, holds, shards, nodes, dead_letters. No view has secrets or content."
    >
      <Panel title="Query">
        <form onSubmit={(event) => void run(event)}>
          <div class="field">
            <label for={id}>A select over the views</label>
            <textarea id={id} rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </div>
          <div class="actions">
            <button type="submit" class="primary" disabled={busy}>
              {busy ? 'Runs' : 'Run'}
            </button>
            {EXAMPLES.map((example, i) => (
              <button key={example} type="button" class="quiet" onClick={() => setText(example)}>
                Example {i + 1}
              </button>
            ))}
          </div>
        </form>
      </Panel>
      <div aria-live="polite">
        {fault !== null && <Notice tone="bad">{fault}</Notice>}
        {result !== null && <Rows result={result} />}
      </div>
    </PageFrame>
  );
}

interface NumberedRow {
  readonly cells: readonly unknown[];
  readonly n: number;
}

function Rows({ result: { columns, rows, ms, cut } }: { readonly result: Result }) {
  const numbered = rows.map((cells, n) => ({ cells, n }));
  return (
    <Panel
      title={`${count(rows.length)} rows`}
      aside={
        <span class="muted">
          {duration(ms)}
          {cut && ', more were left out'}
        </span>
      }
    >
      <Table
        caption="Rows of the query"
        rows={numbered}
        keyOf={({ n }) => String(n)}
        empty="No row matches"
        columns={columns.map((name, i) => ({ name, cell: ({ cells }: NumberedRow) => textOf(cells[i]) }))}
      />
    </Panel>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
