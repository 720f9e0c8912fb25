import type { Collection } from '../runtime/index.ts';

/**
 * Records for a limited time that a generation was released before it was admitted, so that an admission that arrives
 * after its release is refused. Always resident; the sweep removes it.
 */
export interface Tombstone {
  readonly generation: string;
  /** Highest attempt released; later attempts are admitted. */
  readonly attempt: number;
  /** Store time, ms. */
  readonly createdAt: number;
  /** From this time on no admission of the generation can be in flight: all deadlines have passed. */
  readonly forgetAt: number;
}

/** Far above the longest deadline of an ask. */
export const TOMBSTONE_MS = 10 * 60_000;

export const tombstoneCollection: Collection = {
  sort: (row: Tombstone) => row.createdAt,
  open: () => true,
};
