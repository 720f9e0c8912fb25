/** An item with a due time. The heap owns `heapIndex`; -1 outside the heap. */
export interface Due {
  armedAt: number;
  heapIndex: number;
}

/** A binary heap, soonest first, from which any item can be removed. */
export class TimerHeap<T extends Due> {
  private readonly items: T[] = [];

  get first(): T | undefined {
    return this.items[0];
  }

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    if (item.heapIndex >= 0) this.remove(item);
    item.heapIndex = this.items.length;
    this.items.push(item);
    this.up(item);
  }

  remove(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    item.heapIndex = -1;
    const last = this.items.pop() as T;
    if (last === item) return;
    this.items[at] = last;
    last.heapIndex = at;
    this.up(last);
    this.down(last);
  }

  private up(item: T): void {
    while (item.heapIndex > 0) {
      const parent = this.items[(item.heapIndex - 1) >> 1] as T;
      if (parent.armedAt <= item.armedAt) return;
      this.swap(parent, item);
    }
  }

  private down(item: T): void {
    for (;;) {
      const left = this.items[2 * item.heapIndex + 1];
      const right = this.items[2 * item.heapIndex + 2];
      const child = right !== undefined && left !== undefined && right.armedAt < left.armedAt ? right : left;
      if (child === undefined || item.armedAt <= child.armedAt) return;
      this.swap(item, child);
    }
  }

  private swap(upper: T, lower: T): void {
    const at = upper.heapIndex;
    upper.heapIndex = lower.heapIndex;
    lower.heapIndex = at;
    this.items[upper.heapIndex] = upper;
    this.items[lower.heapIndex] = lower;
  }
}
