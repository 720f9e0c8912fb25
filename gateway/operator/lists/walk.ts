/**
 * Pages of rows of the store, newest first or by the beginning of a column in its order, over one index column or several merged: a page costs the same at every
 * depth and at every number of rows. What no column finds is left out while walking, within a bound of rows; a page that
 * met the bound may have few entries or none, and is continued where it stopped.
 */
import { type Static, Type } from 'typebox';
import type { RowQuery, RowReader, RowRecord } from '../../../actors/runtime/index.ts';

/** Rows that one page reads at most, whatever it leaves out: some ten milliseconds. */
const WALKED_ROWS_MAX = 1_000;
/** Rows of one read: of each stream, as each could have the newest. */
const CHUNK_ROWS_MAX = 201;

/** The place of a row in a list, as its cursor has it. */
export const PLACE = Type.Object({ sort: Type.Number(), id: Type.String(), value: Type.Optional(Type.String()) });
type Place = Static<typeof PLACE>;

/** The rows of one collection with one owner, one value of a column, or one beginning of it: that is a list alone. */
export type ListStream = Pick<RowQuery, 'collection' | 'address' | 'where' | 'startsWith'>;

export interface ListWalk {
  readonly streams: readonly ListStream[];
  /** Exclusive; null: from the newest. */
  readonly after: Place | null;
  /** Rows whose sort is lower end the list. */
  readonly from?: number;
  readonly limit: number;
  /** Absent: every row is an entry. */
  readonly keeps?: (row: RowRecord) => boolean;
}

interface Walked {
  readonly rows: readonly RowRecord[];
  /** Where the next page continues; null: this is the last. */
  readonly next: Place | null;
}

/** The next page. */
export async function walk(
  reader: Pick<RowReader, 'rows'>,
  { limit, keeps = () => true, ...given }: ListWalk,
): Promise<Walked> {
  const rows: RowRecord[] = [];
  const chunkRows = Math.min(limit + 1, CHUNK_ROWS_MAX);
  let after = given.after;
  for (let walked = 0; walked < WALKED_ROWS_MAX; walked += chunkRows) {
    const chunk = await first(reader, given.streams, { after, limit: chunkRows });
    for (const row of chunk) {
      if (row.sort < (given.from ?? Number.NEGATIVE_INFINITY)) return { rows, next: null };
      if (rows.length === limit) return { rows, next: after };
      after = placeOf(row, given.streams[0]);
      if (keeps(row)) rows.push(row);
    }
    if (chunk.length < chunkRows) return { rows, next: null };
  }
  return { rows, next: after };
}

function placeOf({ sort, id, index }: RowRecord, stream: ListStream | undefined): Place {
  const column = stream?.startsWith?.column;
  return column === undefined ? { sort, id } : { sort, id, value: index[column] ?? '' };
}

/** The first of all streams together. */
async function first(
  reader: Pick<RowReader, 'rows'>,
  streams: readonly ListStream[],
  { after, limit }: Pick<ListWalk, 'after' | 'limit'>,
): Promise<readonly RowRecord[]> {
  const place = after === null ? {} : { after };
  const read = await Promise.all(
    streams.map((stream) => reader.rows({ ...stream, ...place, order: 'descending', limit })),
  );
  const all = read.flat();
  if (streams.length === 1) return all;
  return all.sort((a, b) => b.sort - a.sort || (a.id < b.id ? 1 : -1)).slice(0, limit);
}
