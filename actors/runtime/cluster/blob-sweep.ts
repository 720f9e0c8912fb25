import type { Kind } from '../actor/kind.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { RowQuery, Store } from '../ports/store.ts';
import { Chore } from './chore.ts';
import type { Log } from './log.ts';

/** Blobs looked at before the others get their turn: each costs a few look-ups by index. */
const BLOBS_PER_PAGE = 20;
const PAGE_PAUSE_MS = 20;

export interface BlobSweepParts {
  /** Only one node of the cluster sweeps. */
  readonly isMine: () => boolean;
  readonly kinds: readonly Kind[];
  readonly blobs: Blobs;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: BlobSweepLimits;
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

export interface BlobSweepLimits {
  readonly sweepMs: number;
  /** A blob younger than this may still await its commit and is left alone. */
  readonly blobOrphanMs: number;
  /** Blobs looked at in one round. */
  readonly sweepBlobsMax: number;
}

/**
 * Removes blobs that no row refers to and writes that nobody finished, once they are old enough. Walks the blobs from
 * the oldest on, a bounded stretch per round, and begins again behind the last. Where no collection of these kinds
 * declares a blob it does nothing at all: all would be orphans.
 */
export function blobSweep(parts: BlobSweepParts): Chore {
  const { isMine, blobs, clock, limits, log, now } = parts;
  const references = referencesOf(parts.kinds);
  let after: string | null = null;

  async function page(before: number, limit: number): Promise<number> {
    const ids = await blobs.list({ after, before, limit });
    for (const id of ids) if (!(await isReferred(parts.store, references, id))) await blobs.remove(id);
    after = ids.length < limit ? null : (ids.at(-1) ?? null);
    return ids.length;
  }

  return new Chore({
    ...{ name: 'blob sweep', clock, log },
    everyMs: () => limits.sweepMs,
    run: async (stopped) => {
      if (references.length === 0 || !isMine()) return;
      const before = now() - limits.blobOrphanMs;
      await blobs.sweepUnfinished(before, limits.sweepBlobsMax);
      for (let left = limits.sweepBlobsMax; left > 0 && !stopped(); ) {
        const limit = Math.min(left, BLOBS_PER_PAGE);
        if ((await page(before, limit)) < limit) return;
        left -= limit;
        await new Promise<void>((resolve) => clock.after(PAGE_PAUSE_MS, resolve));
      }
    },
  });
}

type Reference = Required<Pick<RowQuery, 'collection'>> & { readonly column: 0 | 1 | 2 | 3 };

/** Where ids of blobs stand. Kinds may share the name of a collection and not its columns. */
function referencesOf(kinds: readonly Kind[]): readonly Reference[] {
  const found = new Map<string, Reference>();
  for (const { collections } of kinds) {
    for (const [collection, { blob: column }] of Object.entries(collections)) {
      if (column !== undefined) found.set(`${collection} ${column}`, { collection, column });
    }
  }
  return [...found.values()];
}

async function isReferred(store: Store, references: readonly Reference[], id: string): Promise<boolean> {
  for (const { collection, column } of references) {
    const rows = await store.rows({ collection, where: { column, equals: id }, limit: 1 });
    if (rows.length > 0) return true;
  }
  return false;
}
