import { PooledMap } from './pooled-map.ts';

/** Counters by text. A counter at zero takes no memory. */
export class Counts {
  private readonly counts = new PooledMap<number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  raise(key: string): void {
    this.counts.set(key, this.of(key) + 1);
  }

  lower(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
  }
}
