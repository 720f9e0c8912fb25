/**
 * Runs one query in a process of its own: SQLite cannot be interrupted from outside, and its parent ends this process
 * when the time is over. It opens the database for reading alone.
 */

import { connect } from '../sqlite/connect.ts';
import { QUERY_BYTES_MAX, QUERY_ROWS_MAX } from './query.ts';
import type { QueryAnswer, QueryRequest } from './query-protocol.ts';

/** SQLite's own memory. */
const HEAP_BYTES_MAX = 128 * 1024 * 1024;

process.once('message', (request: QueryRequest) => {
  process.send?.(answerTo(request), () => process.exit(0));
});

function answerTo({ path, sql }: QueryRequest): QueryAnswer {
  try {
    const connection = connect(path, 'read');
    connection.pragma(`hard_heap_limit = ${HEAP_BYTES_MAX}`);
    const statement = connection.prepare(sql).raw(true);
    return { columns: statement.columns().map(({ name }) => name), ...read(statement.iterate()) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

function read(found: Iterable<unknown>): { readonly rows: readonly (readonly unknown[])[]; readonly cut: boolean } {
  const rows: (readonly unknown[])[] = [];
  let bytes = 0;
  for (const row of found as Iterable<readonly unknown[]>) {
    bytes += JSON.stringify(row).length;
    if (rows.length === QUERY_ROWS_MAX || bytes > QUERY_BYTES_MAX) return { rows, cut: true };
    rows.push(row);
  }
  return { rows, cut: false };
}
