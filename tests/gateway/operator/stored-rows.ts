/** Rows as a store has them, by the columns of their own collections, and how many of them were read. */
import type { Collection, RowQuery, RowReader, RowRecord } from '../../../actors/runtime/index.ts';

export class StoredRows implements RowReader {
  /** Rows that lists have returned. */
  read = 0;
  readonly #rows: RowRecord[] = [];

  put(name: string, { sort, index = [], open }: Collection, address: string, id: string, body: object): void {
    const row = body as never;
    const columns = [0, 1, 2, 3].map((at) => index[at]?.(row) ?? null);
    const record = { address, collection: name, id, sort: sort(row), index: columns, open: open?.(row) ?? false };
    this.#rows.push({ ...record, body: JSON.stringify(body), expiresAt: null });
  }

  async row(address: string, collection: string, id: string): Promise<RowRecord | null> {
    return this.#rows.find((row) => row.address === address && row.collection === collection && row.id === id) ?? null;
  }

  async rowById(collection: string, id: string): Promise<RowRecord | null> {
    return this.#rows.find((row) => row.collection === collection && row.id === id) ?? null;
  }

  async rows(query: RowQuery): Promise<readonly RowRecord[]> {
    const { collection, address, where, openOnly = false, after, limit, order } = query;
    if (query.startsWith !== undefined) return this.#startingWith(query, query.startsWith);
    if (address === undefined && where === undefined) throw new Error(`${collection} is listed without an index`);
    const turn = order === 'descending' ? -1 : 1;
    const found = this.#rows
      .filter((row) => row.collection === collection && (address === undefined || row.address === address))
      .filter((row) => where === undefined || row.index[where.column] === where.equals)
      .filter((row) => !openOnly || row.open)
      .filter((row) => after === undefined || turn * compared(row, after) > 0)
      .sort((a, b) => turn * compared(a, b))
      .slice(0, limit);
    this.read += found.length;
    return found;
  }

  #startingWith({ collection, after, limit }: RowQuery, { column, text }: NonNullable<RowQuery['startsWith']>) {
    const place = ({ index, ...row }: RowRecord) => ({ ...row, value: index[column] ?? '' });
    const found = this.#rows
      .filter((row) => row.collection === collection && row.index[column]?.startsWith(text))
      .filter((row) => after === undefined || comparedByValue(place(row), { value: text, ...after }) > 0)
      .sort((a, b) => comparedByValue(place(a), place(b)))
      .slice(0, limit);
    this.read += found.length;
    return found;
  }
}

type Placed = Pick<RowRecord, 'sort' | 'id'>;

function compared(a: Placed, b: Placed): number {
  return a.sort - b.sort || (a.id < b.id ? -1 : Number(a.id > b.id));
}

type Valued = Placed & { readonly value: string };

function comparedByValue(a: Valued, b: Valued): number {
  return a.value === b.value ? compared(a, b) : a.value < b.value ? -1 : 1;
}
