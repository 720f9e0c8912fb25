/** The members of a row that define its order. */
interface Ordered {
  readonly id: string;
  readonly sort: number;
  readonly open: boolean;
}

/** Compares rows in the order of a collection: by sort, then by id. */
export function byOrder(a: Ordered, b: Ordered): number {
  return a.sort - b.sort || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/**
 * The open rows of one collection, sorted, for charts that request the next N of many. A sorted array with free space
 * at the front: rows mostly open at the end and close near the front, where either costs a few moves instead of one per
 * row.
 */
export class OpenOrder<Row extends Ordered> {
  private rows: (Row | null)[];
  /** Index of the first row; the positions before it are free. */
  private head = 0;

  constructor(open: Iterable<Row>) {
    this.rows = [...open].sort(byOrder);
  }

  /** The first `count` rows, or all if there are fewer. */
  first(count: number): Row[] {
    return this.rows.slice(this.head, this.head + count) as Row[];
  }

  /** Replaces the previous state of a row (null: absent) with the current one. */
  change(before: Row | null, after: Row): void {
    if (before?.open) {
      const at = this.placeOf(before);
      if (after.open && after.sort === before.sort) {
        this.rows[at] = after;
        return;
      }
      this.remove(at);
    }
    if (after.open) this.insert(after);
  }

  private insert(row: Row): void {
    const at = this.placeOf(row);
    if (at === this.rows.length) this.rows.push(row);
    else this.rows.splice(at, 0, row);
  }

  /** Removes one row by moving the rows between it and the nearer end. */
  private remove(at: number): void {
    const { rows, head } = this;
    if (at - head > rows.length - at) {
      rows.splice(at, 1);
      return;
    }
    for (let i = at; i > head; i--) rows[i] = rows[i - 1] as Row;
    rows[head] = null;
    this.head++;
    if (this.head * 2 < rows.length) return;
    this.rows = rows.slice(this.head);
    this.head = 0;
  }

  /** The position of the row, or the position where it belongs. */
  private placeOf(row: Row): number {
    let low = this.head;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byOrder(this.rows[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
