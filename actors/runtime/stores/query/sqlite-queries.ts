import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../ports/clock.ts';
import { QUERY_MS_MAX, QUERY_ROWS_MAX, type Queries, QueryRefused, type RowsView } from './query.ts';
import type { QueryAnswer, QueryRequest } from './query-protocol.ts';
import { type Spelling, Views } from './views.ts';

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
      const answer = await answerOf({ path, sql });
      if ('refused' in answer) throw new QueryRefused(answer.refused);
      return { ...answer, ms: Math.round(clock.monotonic() - began) };
    },
  };
}

function answerOf(request: QueryRequest): Promise<QueryAnswer> {
  const file = import.meta.url.endsWith('.ts') ? './query-process.ts' : './query-process.js';
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    serialization: 'advanced',
    timeout: QUERY_MS_MAX,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as QueryAnswer));
    child.once('error', reject);
    child.once('exit', () => resolve({ refused: `the query took longer than ${QUERY_MS_MAX} ms` }));
    child.send(request, (error) => error && reject(error));
  });
}
