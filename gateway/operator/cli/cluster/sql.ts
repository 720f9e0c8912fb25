/** `troupe sql`: a read-only query over the views of the store. */
import type { QueryResult } from '../../../../actors/runtime/index.ts';
import { command } from '../frame/asking.ts';
import { table } from '../frame/print.ts';

/** A query itself runs for at most 5 s; others may run before it. */
const ANSWER_MS = 30_000;

export const commands = [
  command(
    'sql',
    'run a select over views of the store: actors, steps, rows, generations, ledger, holds, shards, nodes',
    {
      arguments: { '<query>': 'such as "select kind, state, count(*) as n from actors group by kind, state"' },
      help: '\nAn unknown name is answered with every view and its columns. Sums of money are exact on PostgreSQL alone.\n',
      ask: ({ query }, api) => api.post<QueryResult>('/api/sql', { query }, ANSWER_MS),
      print: ({ columns, rows, cut }) => {
        const more = cut ? '\nmore rows were left out' : '';
        return `${table(
          columns,
          rows.map((row) => row.map(cellOf)),
        )}${more}`;
      },
    },
  ),
];

function cellOf(value: unknown): string | number | null {
  return typeof value === 'number' || value === null ? value : String(value);
}
