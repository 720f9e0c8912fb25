/** What an order needs to know of a row. */
interface Ordered {
  readonly id: string;
  readonly sort: number;
  readonly open: boolean;
}

/** Rows in the order of a collection: by sort, then by id. */
export function byOrder(a: Ordered, b: Ordered): number {
  return a.sort - b.sort || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/**
 * The open rows of one collection, sorted, for charts that take the next few of many. A sorted array with a free place in
 * front: rows mostly open at the end and close near the front, where either costs a few moves, not one per row.
 */
export class OpenOrder<Row extends Ordered> {
  private rows: (Row | null)[];
  /** Places in front of it are free. */
  private head = 0;

  constructor(open: Iterable<Row>) {
    this.rows = [...open].sort(byOrder);
  }

  /** The first rows, `count` of them or all there are. */
  first(count: number): Row[] {
    return this.rows.slice(this.head, this.head + count) as Row[];
  }

  /** A row as it stood (null: it was not there), and as it stands now. */
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

  /** Closes the gap from the nearer end. */
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

  /** Where the row is, or belongs. */
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
