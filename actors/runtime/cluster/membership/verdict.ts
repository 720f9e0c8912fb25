/**
 * Computes the live set, and which nodes to vote out, as a pure function of the heartbeat rows: every node gets the
 * same result from the same rows. It reads no clock; durations are inputs, measured by the observer.
 */

/** The part of a heartbeat row that the verdict uses. */
export interface Sight {
  readonly incarnation: string;
  /** Order of births over the lifetime of the store. */
  readonly birth: number;
  readonly reaches: readonly string[];
  /** The row changed recently enough, as measured by the observer. */
  readonly fresh: boolean;
  /** The node was never inside the live set, by its own row. It owns no shard then. */
  readonly joining: boolean;
}

/** After this many steps the search keeps the best group found; realistic clusters stay far below it. */
const SEARCH_STEPS_MAX = 200_000;

/**
 * The largest group of fresh members that all reach each other, and the largest group of joining nodes that it reaches:
 * newcomers that are linked with each other first never put a member outside. Of groups of one size the one with the
 * oldest incarnation wins (then the second oldest, and so on). Empty if no row is fresh.
 */
export function liveSet(sights: readonly Sight[]): ReadonlySet<string> {
  const fresh = sights.filter((sight) => sight.fresh);
  const members = groupOf(fresh.filter(({ joining }) => !joining));
  const heard = fresh.filter((node) => node.joining && members.every((member) => areMutual(node, member)));
  return new Set([...members, ...groupOf(heard)].map(({ incarnation }) => incarnation));
}

function groupOf(sights: readonly Sight[]): readonly Sight[] {
  const nodes = [...sights].sort((a, b) => a.birth - b.birth);
  const mutual = nodes.map((node) => nodes.map((other) => node !== other && areMutual(node, other)));
  return largestGroup(mutual).map((index) => nodes[index] as Sight);
}

function areMutual(one: Sight, other: Sight): boolean {
  return one.reaches.includes(other.incarnation) && other.reaches.includes(one.incarnation);
}

/** Indexes of the largest clique. The lowest indexes win a tie because they are tried first. */
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

/** The verdict on a member that the others no longer hear, or that no longer hears them: its links are cut. */
export const CUT_OFF = 'outside the live set';

/** A row, and how long the observer has seen it in this state. */
export interface Watched extends Omit<Sight, 'fresh'> {
  /** Time since the row last changed, in ms of the observer's attention. */
  readonly unchangedMs: number;
  /** Time since the node was last inside the live set (or first seen), in ms of attention. */
  readonly outsideMs: number;
}

export interface Condemned {
  readonly incarnation: string;
  readonly why: 'silent heartbeat' | typeof CUT_OFF | 'did not join';
}

/**
 * The nodes that `self` must vote out now. A node outside the live set judges no other. A node inside votes out rows
 * that are stale for longer than `staleMs` and nodes that have been outside the live set for `voteOutMs`. A node that
 * joins has `joinMs` instead: no shard waits for its verdict, and a newcomer on a busy machine is the slowest process
 * of all.
 */
export function condemned(
  self: string,
  watched: readonly Watched[],
  live: ReadonlySet<string>,
  limits: { readonly staleMs: number; readonly voteOutMs: number; readonly joinMs: number },
): readonly Condemned[] {
  if (!live.has(self)) return [];
  return watched.flatMap((node): readonly Condemned[] => {
    if (node.incarnation === self) return [];
    if (node.unchangedMs > limits.staleMs) return [{ incarnation: node.incarnation, why: 'silent heartbeat' }];
    if (live.has(node.incarnation)) return [];
    if (node.outsideMs < (node.joining ? limits.joinMs : limits.voteOutMs)) return [];
    return [{ incarnation: node.incarnation, why: node.joining ? 'did not join' : CUT_OFF }];
  });
}
