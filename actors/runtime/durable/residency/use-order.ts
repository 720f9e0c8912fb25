import type { Cell } from '../../actor/cell.ts';

/**
 * The evictable cells in the order of their last use: a list linked through the cells themselves, so that a use costs a
 * few pointer writes and no allocation. It never holds actors of resident kinds or quarantined ones.
 */
export class UseOrder {
  newest: Cell | null = null;
  oldest: Cell | null = null;
  size = 0;

  /** Adds a cell as the most recently used. */
  add(cell: Cell): void {
    if (cell.ordered) return;
    cell.ordered = true;
    this.size++;
    cell.older = this.newest;
    if (this.newest === null) this.oldest = cell;
    else this.newest.newer = cell;
    this.newest = cell;
  }

  /** Marks a listed cell as the most recently used. */
  touch(cell: Cell): void {
    if (cell === this.newest || !cell.ordered) return;
    this.remove(cell);
    this.add(cell);
  }

  remove(cell: Cell): void {
    if (!cell.ordered) return;
    cell.ordered = false;
    this.size--;
    if (cell.newer === null) this.newest = cell.older;
    else cell.newer.older = cell.older;
    if (cell.older === null) this.oldest = cell.newer;
    else cell.older.newer = cell.newer;
    cell.newer = null;
    cell.older = null;
  }
}
