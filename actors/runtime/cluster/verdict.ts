/**
 * Who is alive, as a pure function of the heartbeat rows, and who has to be voted out. Every node computes the same
 * from the same rows. It reads no clock: how long something has been so is an input, measured by the watcher.
 */

/** One row as the verdict needs it. */
export interface Sight {
  readonly incarnation: string;
  /** Order of births over the life of the store. */
  readonly birth: number;
  readonly hears: readonly string[];
  /** The row changed recently enough, by the watcher's own measure. */
  readonly fresh: boolean;
}

/** Beyond this many steps the search keeps the best group it has; only graphs no cluster of one site shows come near. */
const SEARCH_STEPS_MAX = 200_000;

/**
 * The largest group of fresh nodes that all hear each other. Of groups of one size the one with the oldest
 * incarnation counts (then the second oldest, and so on). Empty when no row is fresh.
 */
export function liveSet(sights: readonly Sight[]): ReadonlySet<string> {
  const nodes = sights.filter((sight) => sight.fresh).sort((a, b) => a.birth - b.birth);
  const hears = nodes.map((node) => new Set(node.hears));
  const mutual = nodes.map((node, i) =>
    nodes.map((other, j) => i !== j && has(hears, i, other.incarnation) && has(hears, j, node.incarnation)),
  );
  return new Set(largestGroup(mutual).map((index) => (nodes[index] as Sight).incarnation));
}

function has(hears: readonly ReadonlySet<string>[], index: number, incarnation: string): boolean {
  return (hears[index] as ReadonlySet<string>).has(incarnation);
}

/** Indexes of the largest clique; the lowest indexes win a tie because they are tried first. */
function largestGroup(mutual: readonly (readonly boolean[])[]): readonly number[] {
  let best: readonly number[] = [];
  let steps = 0;
  const extend = (group: readonly number[], candidates: readonly number[]): void => {
    if (group.length > best.length) best = group;
    for (let i = 0; i < candidates.length; i++) {
      if (group.length + candidates.length - i <= best.length || steps++ > SEARCH_STEPS_MAX) return;
      const chosen = candidates[i] as number;
      const row = mutual[chosen] as readonly boolean[];
      extend(
        [...group, chosen],
        candidates.slice(i + 1).filter((other) => row[other]),
      );
    }
  };
  extend(
    [],
    mutual.map((_, index) => index),
  );
  return best;
}

/** A row and how long the watcher has seen it so. */
export interface Watched extends Omit<Sight, 'fresh'> {
  /** Since the row last changed, in the watcher's attentive ms. */
  readonly unchangedMs: number;
  /** Since the node was last seen inside the live set (or first seen at all), in attentive ms. */
  readonly outsideMs: number;
}

export interface Condemned {
  readonly incarnation: string;
  readonly why: 'silent heartbeat' | 'outside the live set';
}

/**
 * Whom `self` has to vote out now. A node outside the live set judges nobody; whoever is inside votes out what is
 * stale for longer than `staleMs` and what has been outside for `outsideMs`.
 */
export function condemned(
  self: string,
  watched: readonly Watched[],
  live: ReadonlySet<string>,
  limits: { readonly staleMs: number; readonly outsideMs: number },
): readonly Condemned[] {
  if (!live.has(self)) return [];
  return watched.flatMap((node): readonly Condemned[] => {
    if (node.incarnation === self) return [];
    if (node.unchangedMs > limits.staleMs) return [{ incarnation: node.incarnation, why: 'silent heartbeat' }];
    if (live.has(node.incarnation) || node.outsideMs < limits.outsideMs) return [];
    return [{ incarnation: node.incarnation, why: 'outside the live set' }];
  });
}
