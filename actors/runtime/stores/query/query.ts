/** Read-only queries over views of a store: bounded in time, rows and bytes, the same names on every store. */

/** How a value of a view is read: a column of the stored row, or a path of members in its body. */
export type ViewValue = { readonly row: 'id' | 'address' | 'sort' | 'open' } | { readonly body: readonly string[] };

/** `decimal` is exact on PostgreSQL and a float of 15 digits on SQLite; `time` is store time in ms. */
export interface ViewColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'decimal' | 'boolean' | 'time';
  readonly value: ViewValue;
}

/** A view of the rows of one collection. What it does not name stays unseen. */
export interface RowsView {
  readonly name: string;
  readonly collection: string;
  /** Only open rows. */
  readonly isOpen?: true;
  readonly columns: readonly ViewColumn[];
}

export interface QueryResult {
  readonly columns: readonly string[];
  /** Texts, numbers, booleans and nulls. */
  readonly rows: readonly (readonly unknown[])[];
  readonly ms: number;
  /** More rows, or more bytes, were left out. */
  readonly cut: boolean;
}

/** A query that is not run, or that the store refused; the message is for its author. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}

export interface Queries {
  /** Rejects with QueryRefused. */
  run(text: string): Promise<QueryResult>;
}

/** Longest run of one query. */
export const QUERY_MS_MAX = 5_000;
export const QUERY_ROWS_MAX = 1_000;
/** Of the values of one answer, as JSON. */
export const QUERY_BYTES_MAX = 4 * 1024 * 1024;

/** The first rows of an answer, as many as its bounds allow. */
export function boundedRows(found: Iterable<readonly unknown[]>): Pick<QueryResult, 'rows' | 'cut'> {
  const rows: (readonly unknown[])[] = [];
  let bytes = 0;
  for (const row of found) {
    bytes += JSON.stringify(row).length;
    if (rows.length === QUERY_ROWS_MAX || bytes > QUERY_BYTES_MAX) return { rows, cut: true };
    rows.push(row);
  }
  return { rows, cut: false };
}
