import type { ShardMove } from './runtime-evidence.ts';

/**
 * How far back a look that changes nothing may reach. Whoever lost a shard may not know it yet, and goes on showing what
 * stood when the shard was taken, for as long as its contact with the store counts as fresh; never longer. So a look
 * within that time behind a takeover may show the moment of the takeover; any other is as strict as a change.
 */
export class ReadLease {
  readonly #takenAt = new Map<number, number[]>();
  readonly #leaseMs: number;

  constructor(moves: readonly ShardMove[], leaseMs: number) {
    this.#leaseMs = leaseMs;
    for (const { shard, at } of moves) this.#takenAt.set(shard, [...(this.#takenAt.get(shard) ?? []), at]);
  }

  /** The earliest moment a look from `at` to `endAt` may show. */
  reaches(shard: number, at: number, endAt: number): number {
    const taken = (this.#takenAt.get(shard) ?? []).filter((each) => each >= at - this.#leaseMs && each <= endAt);
    return Math.min(at, ...taken);
  }
}
