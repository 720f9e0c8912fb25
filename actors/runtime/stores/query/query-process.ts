/**
 * Runs one query in a process of its own: SQLite cannot be interrupted from outside, and its parent ends this process
 * when the time is over. It opens the database for reading alone.
 */
import { connect } from '../sqlite/connect.ts';
import { boundedRows } from './query.ts';
import type { QueryAnswer, QueryRequest } from './sqlite-queries.ts';

/** SQLite's own memory. */
const HEAP_BYTES_MAX = 128 * 1024 * 1024;

process.once('message', (request: QueryRequest) => {
  process.send?.(answerTo(request), () => process.exit(0));
});
process.send?.('ready');

function answerTo({ path, sql }: QueryRequest): QueryAnswer {
  try {
    const connection = connect(path, 'read');
    connection.pragma(`hard_heap_limit = ${HEAP_BYTES_MAX}`);
    const statement = connection.prepare(sql).raw(true);
    return {
      columns: statement.columns().map(({ name }) => name),
      ...boundedRows(statement.iterate() as Iterable<readonly unknown[]>),
    };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}
