import type { Clock } from '../../ports/clock.ts';
import { connect } from '../postgres/connect.ts';
import { messageOf } from '../postgres/failure.ts';
import type { PostgresChoice } from '../store-choice.ts';
import { QUERY_BYTES_MAX, QUERY_MS_MAX, QUERY_ROWS_MAX, type Queries, QueryRefused, type RowsView } from './query.ts';
import { type Spelling, Views } from './views.ts';

const TYPES = { text: 'text', integer: 'bigint', decimal: 'numeric', boolean: 'boolean', time: 'bigint' } as const;

/** The store's connections forbid plans that its own queries never need; these queries are of any form. */
const PLANS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((plan) => `SET LOCAL enable_${plan} = on`);
const WORK_MEMORY = "SET LOCAL work_mem = '16MB'";

/** The schema is the connection's own. */
const SPELLING = (schema: string): Spelling => ({
  schema,
  member: (path) => `(body::json #>> '{${path.join(',')}}')`,
  cast: (value, type) => `(${value})::${TYPES[type]}`,
  isOpen: 'open',
});

/** Queries over a database, each on a connection of its own, in a transaction that cannot write. */
export function postgresQueries({ url, bounds }: PostgresChoice, views: readonly RowsView[], clock: Clock): Queries {
  return {
    run: async (text) => {
      const limits = { ...bounds, statementMs: QUERY_MS_MAX };
      const client = await connect({ url, bounds: limits, applicationName: 'troupe sql' });
      const began = clock.monotonic();
      try {
        await client.query(['BEGIN READ ONLY', WORK_MEMORY, ...PLANS].join(';'));
        const schema = (await client.query('SELECT current_schema() AS name')).rows[0].name as string;
        const sql = new Views(views, SPELLING(schema)).over(text, QUERY_ROWS_MAX + 1);
        const { fields, rows } = await client.query({ text: sql, rowMode: 'array' });
        const kept = withinBytes(rows.slice(0, QUERY_ROWS_MAX));
        const columns = fields.map(({ name }) => name);
        return { columns, rows: kept, cut: kept.length < rows.length, ms: Math.round(clock.monotonic() - began) };
      } catch (error) {
        throw error instanceof QueryRefused ? error : new QueryRefused(messageOf(error));
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
}

function withinBytes(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += JSON.stringify(row).length;
    return bytes > QUERY_BYTES_MAX;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
