import type { Clock } from '../../ports/clock.ts';
import { connect } from '../postgres/connect.ts';
import { messageOf } from '../postgres/failure.ts';
import type { PostgresChoice } from '../store-choice.ts';
import {
  boundedRows,
  QUERY_BYTES_MAX,
  QUERY_MS_MAX,
  QUERY_ROWS_MAX,
  type Queries,
  QueryRefused,
  type QueryResult,
  type RowsView,
} from './query.ts';
import { type Spelling, Views } from './views.ts';

type Client = Awaited<ReturnType<typeof connect>>;

const TYPES = { text: 'text', integer: 'bigint', decimal: 'numeric', boolean: 'boolean', time: 'bigint' } as const;

/** Of one answer on the wire: the driver keeps the whole of it. Above it the connection is cut. */
const WIRE_BYTES_MAX = 4 * QUERY_BYTES_MAX;

/** The store's connections forbid plans that its own queries never need; these queries are of any form. */
const PLANS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((plan) => `SET LOCAL enable_${plan} = on`);
/** No table is found by its bare name, and a text ends where the check of the query has its end. */
const NAMES = ["SET LOCAL search_path = ''", 'SET LOCAL standard_conforming_strings = on'];
const BEGIN = ['BEGIN READ ONLY', "SET LOCAL work_mem = '16MB'", ...PLANS, ...NAMES].join(';');

const SCHEMAS = `SELECT quote_ident(current_schema()) AS schema,
  (SELECT array_agg(nspname::text) FROM pg_namespace) AS schemas`;

/** The schema is the connection's own. */
const spelling = (found: Pick<Spelling, 'schema' | 'schemas'>): Spelling => ({
  ...found,
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
        return { ...(await answerOf(client, text, views)), ms: Math.round(clock.monotonic() - began) };
      } catch (error) {
        throw error instanceof QueryRefused ? error : new QueryRefused(messageOf(error));
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
}

async function answerOf(client: Client, text: string, views: readonly RowsView[]): Promise<Omit<QueryResult, 'ms'>> {
  const [found] = (await client.query(SCHEMAS)).rows;
  const sql = `${new Views(views, spelling(found)).over(text)} LIMIT $1`;
  await client.query(BEGIN);
  boundWire(client);
  // With a parameter the server takes one statement alone.
  const { fields, rows } = await client.query({ text: sql, values: [QUERY_ROWS_MAX + 1], rowMode: 'array' });
  return { columns: fields.map(({ name }) => name), ...boundedRows(rows) };
}

function boundWire({ connection: { stream } }: Client): void {
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > WIRE_BYTES_MAX) stream.destroy(new QueryRefused(`the answer has more than ${WIRE_BYTES_MAX} bytes`));
  });
}
