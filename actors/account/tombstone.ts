import type { Collection, Effect, RowRef } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';

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

export function tombstoneRef(id: string): RowRef {
  return { as: 'tombstone', collection: 'tombstone', id, mayBeStored: false };
}

export function putTombstone(
  { generation, attempt }: Pick<Tombstone, 'generation' | 'attempt'>,
  createdAt: number,
): Effect {
  const tombstone: Tombstone = { generation, attempt, createdAt, forgetAt: createdAt + TOMBSTONE_MS };
  return { type: 'put', collection: 'tombstone', id: generation, body: plain(tombstone) };
}

export function judgeTombstone(tombstone: Tombstone | null, attempt: number): 'ended' | 'stale' | null {
  if (tombstone === null) return null;
  if (tombstone.attempt === attempt) return 'ended';
  return attempt < tombstone.attempt ? 'stale' : null;
}
