import { type ChartRange, type Charts, chartRange, chartsOf } from '../actor/charts/chart-range.ts';
import type { RegisteredKind } from '../actor/charts/register.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { isAlive, type Member } from './membership/member.ts';

interface ChartLevelsParts {
  readonly self: string;
  readonly kinds: readonly RegisteredKind[];
  readonly member: () => Member;
  /** The chart versions that a peer has announced; null before that. */
  readonly chartsOf: (incarnation: string) => Charts | null;
  readonly store: Pick<Store, 'actorCounts'>;
  readonly log: Log;
}

/**
 * Sets each kind to the highest chart version that every living member loads, as members join and leave. Starts at the
 * lowest version that this build can write, and never rises while a member has not announced its versions.
 */
export class ChartLevels {
  /** The chart versions of this build. */
  readonly charts: Charts;
  readonly #parts: ChartLevelsParts;
  /** Every member has announced its versions once: the levels are no longer those of the start. */
  #isSettled = false;

  constructor(parts: ChartLevelsParts) {
    this.#parts = parts;
    this.charts = chartsOf(parts.kinds);
    for (const kind of parts.kinds) kind.level = chartRange(kind).writes;
  }

  /** Rejects with one line if this build cannot load the stored actors. */
  async requireLoadable(): Promise<void> {
    const why = await this.#unloadable();
    if (why !== null) throw new Error(why);
  }

  /**
   * Checks again when all peers know this node and write versions that it loads: actors written before that may be too
   * new for this build. Shards may be moved to a node only after `fits`.
   */
  async confirm(refuse: (why: string) => void, fits: () => void): Promise<void> {
    // A store that fails now takes no commit either, and the check at the start succeeded.
    const why = await this.#unloadable().catch(() => null);
    if (why === null) fits();
    else refuse(why);
  }

  /** Why this build cannot load the stored actors, or null. */
  async #unloadable(): Promise<string | null> {
    return unloadable(this.charts, await this.#parts.store.actorCounts());
  }

  /** Called when a member joins, leaves or announces its charts. Logs what a change of the members changes, not the start. */
  settle(): void {
    const { self, kinds, member, log } = this.#parts;
    const { nodes } = member().view;
    const others = nodes.filter((row) => isAlive(row) && row.incarnation !== self);
    const announced = others.map((row) => this.#parts.chartsOf(row.incarnation));
    const known = nodes.length > 0 && !announced.includes(null);
    const isChange = this.#isSettled;
    this.#isSettled ||= known;
    for (const kind of kinds) {
      const ranges = announced.flatMap((charts) => charts?.[kind.name] ?? []);
      const level = levelOf(chartRange(kind), ranges, kind.level, known);
      if (level === kind.level) continue;
      kind.level = level;
      if (!isChange) continue;
      log({ level: 'info', message: 'a kind is written at another chart version', kind: kind.name, chart: level });
    }
  }
}

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
