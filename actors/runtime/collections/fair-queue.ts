import { PooledMap } from './pooled-map.ts';

interface Group<T> {
  readonly name: string;
  readonly items: T[];
}

/**
 * A queue that serves groups in turn, and each group first come, first served, so that a long group does not delay the
 * others. It is unbounded: its owner bounds what is added.
 */
export class FairQueue<T> {
  private readonly groups = new PooledMap<Group<T>>();
  /** The groups with waiting items, in the order of their turns. */
  private readonly turns: Group<T>[] = [];

  add(group: string, item: T): void {
    const waiting = this.groups.getOrSet(group, () => {
      const fresh = { name: group, items: [] };
      this.turns.push(fresh);
      return fresh;
    });
    waiting.items.push(item);
  }

  /** Groups with waiting items. */
  get groupCount(): number {
    return this.turns.length;
  }

  /** Waiting items of this group. */
  count(group: string): number {
    return this.groups.get(group)?.items.length ?? 0;
  }

  /** True when items of this group wait. */
  has(group: string): boolean {
    return this.groups.get(group) !== undefined;
  }

  /** Removes and returns the first item of the next group whose first item is admitted; null if there is none. */
  take(admits: (item: T) => boolean = always): T | null {
    const at = this.turns.findIndex(({ items }) => admits(items[0] as T));
    if (at < 0) return null;
    const [waiting] = this.turns.splice(at, 1) as [Group<T>];
    const item = waiting.items.shift() as T;
    if (waiting.items.length > 0) this.turns.push(waiting);
    else this.groups.delete(waiting.name);
    return item;
  }

  /** Removes a waiting item; a no-op if it was taken. */
  remove(group: string, item: T): void {
    const waiting = this.groups.get(group);
    const at = waiting === undefined ? -1 : waiting.items.indexOf(item);
    if (waiting === undefined || at < 0) return;
    waiting.items.splice(at, 1);
    if (waiting.items.length > 0) return;
    this.groups.delete(group);
    this.turns.splice(this.turns.indexOf(waiting), 1);
  }
}

function always(): boolean {
  return true;
}
