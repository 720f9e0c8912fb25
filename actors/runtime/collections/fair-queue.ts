import { PooledMap } from './pooled-map.ts';

interface Line<T> {
  readonly group: string;
  readonly items: T[];
}

/**
 * A queue that serves groups in turn, and first come first served within a group, so that a long line of one group
 * delays no other group. It has no bound of its own: its owner bounds what is added.
 */
export class FairQueue<T> {
  private readonly lines = new PooledMap<Line<T>>();
  /** The groups with waiting items, next turn first. */
  private readonly turns: Line<T>[] = [];

  add(group: string, item: T): void {
    const line = this.lines.getOrSet(group, () => {
      const fresh = { group, items: [] };
      this.turns.push(fresh);
      return fresh;
    });
    line.items.push(item);
  }

  /** The first item of the next group whose first item is admitted; null when there is none. */
  take(admits: (item: T) => boolean): T | null {
    const at = this.turns.findIndex(({ items }) => admits(items[0] as T));
    if (at < 0) return null;
    const [line] = this.turns.splice(at, 1) as [Line<T>];
    const item = line.items.shift() as T;
    if (line.items.length > 0) this.turns.push(line);
    else this.lines.delete(line.group);
    return item;
  }

  /** Removes a waiting item; does nothing if it was taken. */
  remove(group: string, item: T): void {
    const line = this.lines.get(group);
    const at = line === undefined ? -1 : line.items.indexOf(item);
    if (line === undefined || at < 0) return;
    line.items.splice(at, 1);
    if (line.items.length > 0) return;
    this.lines.delete(group);
    this.turns.splice(this.turns.indexOf(line), 1);
  }
}
