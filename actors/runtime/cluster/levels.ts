import type { ChartRange, Charts } from '../actor/chart-range.ts';

/**
 * The chart version at which a node writes a kind: the highest that every member loads. `members` are the ranges of the
 * other nodes that have the kind; `known` is false while a member has not announced its range, and then the level never
 * rises.
 */
export function levelOf(own: ChartRange, members: readonly ChartRange[], current: number, known: boolean): number {
  const highest = Math.min(own.version, ...members.map(({ version }) => version));
  const level = known ? highest : Math.min(highest, current);
  // A node that cannot load this build's lowest version was refused a link.
  return Math.max(level, own.writes);
}

/** One line that explains why two builds cannot share a cluster, or null. `here` and `there` name their nodes. */
export function misfit(here: string, own: Charts, there: string, other: Charts): string | null {
  for (const [kind, mine] of Object.entries(own)) {
    const theirs = other[kind];
    if (theirs === undefined) continue;
    const level = Math.min(mine.version, theirs.version);
    for (const [name, range, whose, peer] of [
      [here, mine, there, theirs],
      [there, theirs, here, mine],
    ] as const) {
      if (level < range.writes) {
        return `${name} writes ${kind} at chart ${range.writes} or higher, ${whose} loads it up to ${peer.version}`;
      }
      if (level < range.loads) {
        return `${name} loads ${kind} from chart ${range.loads} on, ${whose} writes it at ${level}`;
      }
    }
  }
  return null;
}

/** One line that explains why a build must not join a cluster that stored these versions, or null. */
export function unloadable(
  own: Charts,
  stored: readonly { readonly kind: string; readonly chart: number }[],
): string | null {
  for (const { kind, chart } of stored) {
    const range = own[kind];
    if (range === undefined) return `the store holds actors of the kind ${kind}, which this build does not have`;
    if (chart >= range.loads && chart <= range.version) continue;
    const loads =
      range.loads === range.version ? `chart ${range.version}` : `charts ${range.loads} to ${range.version}`;
    return `the store holds ${kind} actors of chart ${chart}, this build loads ${loads}: start a build that loads both`;
  }
  return null;
}
