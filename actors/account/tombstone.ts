import type { Collection } from '../runtime/index.ts';

/**
 * Remembers for a while that a generation was released before it was ever admitted, so that an admit overtaken by its
 * release is refused. Always resident; the sweep forgets it.
 */
export interface Tombstone {
  readonly generation: string;
  /** Highest attempt released: later ones are admitted. Absent in rows of older builds, which refuse every attempt. */
  readonly attempt?: number;
  /** Store time, ms. */
  readonly createdAt: number;
  /** From then on no admit of that generation can still be under way: all have passed their deadlines. */
  readonly forgetAt: number;
}

/** Far above the longest deadline of an ask. */
export const TOMBSTONE_MS = 10 * 60_000;

export const tombstoneCollection: Collection = {
  sort: (row: Tombstone) => row.createdAt,
  open: () => true,
};
