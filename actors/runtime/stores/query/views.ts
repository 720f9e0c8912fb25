/** The views of a store: those of the runtime's own tables, and those that the host declares of its collections. */
import { type CheckedQuery, checkQuery } from './check-query.ts';
import type { RowsView, ViewColumn, ViewValue } from './query.ts';

/** How one store spells what views are made of. */
export interface Spelling {
  /** The schema of its tables, so that a view may have the name of its table. */
  readonly schema: string;
  /** Every schema of the database: a query that could name one would reach its tables. */
  readonly schemas: readonly string[];
  /** A member of the body, as text or a number. */
  readonly member: (path: readonly string[]) => string;
  readonly cast: (value: string, type: ViewColumn['type']) => string;
  /** True of an open row. */
  readonly isOpen: string;
}

interface TableView {
  readonly columns: readonly string[];
  readonly sql: (spelling: Spelling) => string;
}

const nodeName = (schema: string, column: string): string =>
  `(SELECT name FROM ${schema}.nodes WHERE incarnation = ${column})`;

/** Of the runtime's own tables. Rows show no body: it may hold secrets. */
const TABLES: Readonly<Record<string, TableView>> = {
  actors: {
    columns: ['address', 'kind', 'owner', 'state', 'since', 'shard', 'version', 'chart'],
    sql: ({ schema }) => `SELECT address, kind, owner, state, since, shard, version, chart FROM ${schema}.actors`,
  },
  rows: {
    columns: ['address', 'collection', 'sort', 'open', 'expires_at', 'body_characters'],
    sql: ({ schema }) =>
      `SELECT address, collection, sort, open, expires_at, length(body) AS body_characters FROM ${schema}.rows`,
  },
  shards: {
    columns: ['shard', 'node', 'owner', 'epoch'],
    sql: ({ schema }) => `SELECT shard, ${nodeName(schema, 's.owner')} AS node, owner, epoch FROM ${schema}.shards s`,
  },
  nodes: {
    columns: ['name', 'incarnation', 'birth', 'host', 'pid', 'beat_at', 'state', 'why'],
    sql: ({ schema }) => `SELECT name, incarnation, birth, host, pid, beat_at, state, why FROM ${schema}.nodes`,
  },
};

/** Tables of either store, which no query may name. */
const HIDDEN = [
  'actor_counts',
  'timers',
  'cluster_events',
  'settings',
  'counters',
  'migrations',
  'blobs',
  'blob_pieces',
  'sealing_keys',
];

/** A column of texts, taken from a member of the body. */
const text = (name: string, ...body: string[]): ViewColumn => ({ name, type: 'text', value: { body } });
const ADDRESS: ViewColumn = { name: 'address', type: 'text', value: { row: 'address' } };
const AT: ViewColumn = { name: 'at', type: 'time', value: { body: ['at'] } };

/** What the runtime's own collections show. */
const OWN: readonly RowsView[] = [
  {
    name: 'dead_letters',
    collection: '$dead-letters',
    columns: [
      ADDRESS,
      { name: 'id', type: 'text', value: { row: 'id' } },
      AT,
      text('source', 'source'),
      text('event', 'event', 'type'),
      text('failure', 'failure'),
      { name: 'times', type: 'integer', value: { body: ['times'] } },
    ],
  },
  {
    name: 'steps',
    collection: '$steps',
    columns: [
      ADDRESS,
      AT,
      text('event', 'event', 'type'),
      text('from_state', 'from'),
      text('to_state', 'to'),
      text('node', 'node'),
      { name: 'epoch', type: 'integer', value: { body: ['epoch'] } },
      { name: 'chart', type: 'integer', value: { body: ['chart'] } },
    ],
  },
];

/** The views of one store, as the beginning of a query. */
export class Views {
  readonly #sql: ReadonlyMap<string, string>;
  readonly #columns: ReadonlyMap<string, readonly string[]>;
  readonly #hidden: ReadonlySet<string>;

  constructor(views: readonly RowsView[], spelling: Spelling) {
    const all = [...OWN, ...views];
    const tables = Object.entries(TABLES);
    this.#hidden = new Set([...HIDDEN, ...spelling.schemas]);
    this.#sql = new Map([
      ...tables.map(([name, { sql }]) => [name, sql(spelling)] as const),
      ...all.map((view) => [view.name, rowsSql(view, spelling)] as const),
    ]);
    this.#columns = new Map([
      ...tables.map(([name, { columns }]) => [name, columns] as const),
      ...all.map(({ name, columns }) => [name, columns.map((column) => column.name)] as const),
    ]);
  }

  /** The query over its views. Throws QueryRefused. */
  over(query: string): string {
    return this.#spelled(checkQuery(query, { views: this.#columns, hidden: this.#hidden }));
  }

  #spelled({ text: query, views }: CheckedQuery): string {
    const named = views.map((name) => `${name} AS (${this.#sql.get(name)})`);
    return `WITH ${[...named, `asked AS (${query})`].join(', ')} SELECT * FROM asked`;
  }
}

function rowsSql({ collection, isOpen, columns }: RowsView, spelling: Spelling): string {
  const values = columns.map(({ name, type, value }) => `${spelling.cast(valueSql(value, spelling), type)} AS ${name}`);
  const open = isOpen ? ` AND ${spelling.isOpen}` : '';
  return `SELECT ${values.join(', ')} FROM ${spelling.schema}.rows WHERE collection = '${collection}'${open}`;
}

function valueSql(value: ViewValue, { member }: Spelling): string {
  return 'row' in value ? value.row : member(value.body);
}
