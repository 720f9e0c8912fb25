import type { ShardMove } from './runtime-evidence.ts';

/**
 * How stale a read may be. A node that lost a shard without noticing keeps serving the state at the takeover for as
 * long as its contact with the store counts as fresh. A read within that time after a takeover may therefore show the
 * moment of the takeover; any other read is as strict as a change.
 */
export class ReadLease {
  readonly #takenAt = new Map<number, number[]>();
  readonly #leaseMs: number;

  constructor(moves: readonly ShardMove[], leaseMs: number) {
    this.#leaseMs = leaseMs;
    for (const { shard, at } of moves) this.#takenAt.set(shard, [...(this.#takenAt.get(shard) ?? []), at]);
  }

  /** The earliest moment that a read from `at` to `endAt` may show. */
  reaches(shard: number, at: number, endAt: number): number {
    const taken = (this.#takenAt.get(shard) ?? []).filter((each) => each >= at - this.#leaseMs && each <= endAt);
    return Math.min(at, ...taken);
  }
}
