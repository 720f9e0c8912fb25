import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../ports/clock.ts';
import { QUERY_MS_MAX, QUERY_ROWS_MAX, type Queries, QueryRefused, type QueryResult, type RowsView } from './query.ts';
import { type Spelling, Views } from './views.ts';

/** What a node asks the process of a query once that says `ready`, and what it answers. */
export interface QueryRequest {
  readonly path: string;
  readonly sql: string;
}

export type QueryAnswer = Omit<QueryResult, 'ms'> | { readonly refused: string };

const TYPES = { text: 'TEXT', integer: 'INTEGER', decimal: 'REAL', boolean: 'INTEGER', time: 'INTEGER' } as const;

const SPELLING: Spelling = {
  schema: 'main',
  schemas: ['main', 'temp'],
  member: (path) => `json_extract(body, '$.${path.join('.')}')`,
  cast: (value, type) => `CAST(${value} AS ${TYPES[type]})`,
  isOpen: 'open = 1',
};

/** Queries over the database of a file; each is a process that ends with it, at the latest after its time. */
export function sqliteQueries(path: string, views: readonly RowsView[], clock: Clock): Queries {
  const known = new Views(views, SPELLING);
  return {
    run: async (text) => {
      const sql = `${known.over(text)} LIMIT ${QUERY_ROWS_MAX + 1}`;
      const began = clock.monotonic();
      const answer = await answerOf({ path, sql }, clock);
      if ('refused' in answer) throw new QueryRefused(answer.refused);
      return { ...answer, ms: Math.round(clock.monotonic() - began) };
    },
  };
}

/** A process that has not begun within this time gets no query. */
const START_MS_MAX = 20_000;

function answerOf(request: QueryRequest, clock: Clock): Promise<QueryAnswer> {
  const file = import.meta.url.endsWith('.ts') ? './query-process.ts' : './query-process.js';
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const end = (): unknown => child.kill('SIGKILL');
  return new Promise<QueryAnswer>((resolve, reject) => {
    let cancel = clock.after(START_MS_MAX, end);
    child.on('message', (message: 'ready' | QueryAnswer) => {
      cancel();
      if (message !== 'ready') return resolve(message);
      cancel = clock.after(QUERY_MS_MAX, end);
      child.send(request, (error) => error && reject(error));
    });
    child.once('error', reject);
    child.once('exit', () => {
      cancel();
      resolve({ refused: `the query took longer than ${QUERY_MS_MAX} ms` });
    });
  });
}
