import { type Charts, chartRange, chartsOf } from '../actor/chart-range.ts';
import type { RegisteredKind } from '../actor/registered-kind.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { levelOf, unloadable } from './levels.ts';
import { isAlive, type Member } from './member.ts';

export interface ChartLevelsParts {
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
