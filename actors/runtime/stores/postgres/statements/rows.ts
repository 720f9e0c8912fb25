import type { IndexColumn, RowQuery } from '../../../ports/store.ts';

const COLUMNS = 'address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body';

/** Queries on `rows`, by name: each is prepared once per connection. */
export const rowSql = {
  byKey: {
    name: 'row_by_key',
    text: `SELECT ${COLUMNS} FROM rows WHERE collection = $1 AND id = $2 AND address = $3`,
  },
  byId: {
    name: 'row_by_id',
    text: `SELECT ${COLUMNS} FROM rows WHERE collection = $1 AND id = $2 ORDER BY address LIMIT 1`,
  },
  /** Rows locked by a commit are left for the next sweep. */
  sweep: {
    name: 'row_sweep',
    text: `DELETE FROM rows AS r USING (SELECT collection, id, address FROM rows
        WHERE expires_at IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS old
      WHERE r.collection = old.collection AND r.id = old.id AND r.address = old.address`,
  },
} as const;

/**
 * Returns the texts of $1 that occur in one of the columns, with one index look-up each. LIMIT prevents joins of whole
 * collections and stops at the first of the thousands of rows that can contain the same value.
 */
export function referredQuery(columns: readonly IndexColumn[]): { readonly name: string; readonly text: string } {
  const lookUps = columns.map(
    ({ column }, at) => `SELECT given.value FROM unnest($1::text[]) AS given (value)
      CROSS JOIN LATERAL (SELECT 1 FROM rows WHERE collection = $${at + 2} AND index${column} = given.value LIMIT 1) AS found`,
  );
  const name = `row_referred_${columns.map(({ column }) => column).join('')}`;
  return { name, text: lookUps.join(' UNION ') };
}

export interface RowList {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/**
 * A list query. Its text and name depend only on the shape of the query, so there are few of them. Unlike in SQLite the
 * index is not named; every shape has an index in its order.
 */
export function rowList(query: RowQuery): RowList {
  const { collection, address, where, openOnly, after, limit } = query;
  const descending = query.order === 'descending';
  const values: (string | number)[] = [];
  const bound = (value: string | number): string => `$${values.push(value)}`;
  const conditions = [`collection = ${bound(collection)}`];
  let shape = descending ? 'd' : 'a';
  const add = (letter: string, condition: string): void => {
    shape += letter;
    conditions.push(condition);
  };
  if (address !== undefined) add('A', `address = ${bound(address)}`);
  if (where) add(`W${where.column}`, `index${where.column} = ${bound(where.equals)}`);
  if (openOnly) add('O', 'open');
  if (openOnly && collection.startsWith('$')) add('R', "collection >= '$' AND collection < '%'");
  if (after) add('C', `(sort, id) ${descending ? '<' : '>'} (${bound(after.sort)}, ${bound(after.id)})`);
  const direction = descending ? 'DESC' : 'ASC';
  const order = `ORDER BY sort ${direction}, id ${direction} LIMIT ${bound(limit)}`;
  return {
    name: `row_list_${shape}`,
    text: `SELECT ${COLUMNS} FROM rows WHERE ${conditions.join(' AND ')} ${order}`,
    values,
  };
}
