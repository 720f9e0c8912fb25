import type { IndexColumn, RowQuery } from '../../../ports/store.ts';

const COLUMNS = 'address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body';

/** SQL on `rows`. Updates set only changed columns, so that the indexes of all others stay untouched. */
export const rowSql = {
  find: `SELECT n, sort, index0, index1, index2, index3, open, expires_at FROM rows
    WHERE collection = ? AND id = ? AND address = ?`,
  insertIfAbsent: `INSERT INTO rows (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (collection, id, address) DO NOTHING`,
  updateBody: 'UPDATE rows SET body = ? WHERE n = ?',
  updateOpen: 'UPDATE rows SET body = ?, open = ?, index0 = ?, expires_at = ? WHERE n = ?',
  updateAll: `UPDATE rows SET body = ?, open = ?, index0 = ?, expires_at = ?, sort = ?, index1 = ?, index2 = ?, index3 = ?
    WHERE n = ?`,
  close: `UPDATE rows SET body = ?, open = 0, index0 = ?, expires_at = ? WHERE collection = ? AND id = ? AND address = ?
    AND open = 1 AND sort = ? AND index1 IS ? AND index2 IS ? AND index3 IS ?`,
  remove: 'DELETE FROM rows WHERE collection = ? AND id = ? AND address = ?',
  sweep: `DELETE FROM rows WHERE n IN
    (SELECT n FROM rows WHERE expires_at IS NOT NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
  byKey: `SELECT ${COLUMNS} FROM rows WHERE collection = ? AND id = ? AND address = ?`,
  byId: `SELECT ${COLUMNS} FROM rows WHERE collection = ? AND id = ? ORDER BY address LIMIT 1`,
  openOf: `SELECT ${COLUMNS} FROM rows WHERE address = ? AND open = 1 ORDER BY collection, sort, id`,
} as const;

/**
 * SQL of a list for the shape of the query; `rowQueryValues` binds its values in the same order. The index is named
 * instead of left to the planner: open rows are few, a look-up column is next, then the actor's own order. A list over
 * a whole collection with none of these sorts the collection.
 */
export function rowQuerySql(query: RowQuery): string {
  const descending = query.order === 'descending';
  const direction = descending ? 'DESC' : 'ASC';
  const conditions = ['collection = ?'];
  if (query.address !== undefined) conditions.push('address = ?');
  if (query.where) conditions.push(`index${query.where.column} = ?`);
  if (query.openOnly) conditions.push('open = 1');
  if (ofRuntime(query)) conditions.push("collection >= '$' AND collection < '%'");
  if (query.after) conditions.push(`(sort, id) ${descending ? '<' : '>'} (?, ?)`);
  return `SELECT ${COLUMNS} FROM rows INDEXED BY ${indexFor(query)}
    WHERE ${conditions.join(' AND ')} ORDER BY sort ${direction}, id ${direction} LIMIT ?`;
}

/**
 * Returns the values of a JSON list that occur in one of the columns: one look-up each, however many rows contain it.
 */
export function referredSql(columns: readonly IndexColumn[]): string {
  const found = columns.map(
    ({ column }) => `EXISTS (SELECT 1 FROM rows INDEXED BY rows_by_index${column}
      WHERE collection = ? AND index${column} = given.value)`,
  );
  return `SELECT given.value FROM json_each(?) AS given WHERE ${found.join(' OR ')}`;
}

/** Open rows of the runtime's own collections (`$...`) have a separate index by their first column. */
function ofRuntime({ collection, openOnly, address, where }: RowQuery): boolean {
  return openOnly === true && address === undefined && where?.column === 0 && collection.startsWith('$');
}

function indexFor(query: RowQuery): string {
  if (ofRuntime(query)) return 'rows_open_of_runtime';
  if (query.openOnly) return 'rows_open';
  if (query.where) return `rows_by_index${query.where.column}`;
  return query.address === undefined ? 'rows_by_id' : 'rows_by_address';
}

export function rowQueryValues(query: RowQuery): (string | number)[] {
  const values: (string | number)[] = [query.collection];
  if (query.address !== undefined) values.push(query.address);
  if (query.where) values.push(query.where.equals);
  if (query.after) values.push(query.after.sort, query.after.id);
  values.push(query.limit);
  return values;
}
