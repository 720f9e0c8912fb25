import { type Charts, chartRange, chartsOf } from '../actor/chart-range.ts';
import type { RegisteredKind } from '../actor/registered-kind.ts';
import type { Store } from '../ports/store.ts';
import { levelOf, unloadable } from './levels.ts';
import type { Log } from './log.ts';
import { isAlive, type Member } from './member.ts';

export interface ChartLevelsParts {
  readonly self: string;
  readonly kinds: readonly RegisteredKind[];
  readonly member: () => Member;
  /** What a peer's build told of its kinds; null while it has not. */
  readonly chartsOf: (incarnation: string) => Charts | null;
  readonly store: Pick<Store, 'actorCounts'>;
  readonly log: Log;
}

/**
 * Has each kind written at the highest chart version that every living member loads, as members come and go. Starts at
 * the lowest this build can write, and never rises while a member has not told what it loads.
 */
export class ChartLevels {
  /** The chart versions of this build. */
  readonly charts: Charts;
  readonly #parts: ChartLevelsParts;

  constructor(parts: ChartLevelsParts) {
    this.#parts = parts;
    this.charts = chartsOf(parts.kinds);
    for (const kind of parts.kinds) kind.level = chartRange(kind).writes;
  }

  /** Rejects with one line when this build cannot serve what is stored. */
  async requireLoadable(): Promise<void> {
    const why = await this.#unloadable();
    if (why !== null) throw new Error(why);
  }

  /**
   * Once more when the others know this node and write for it too: what they wrote before that may be beyond this build.
   * Shards may be moved to a node only after `fits`.
   */
  async confirm(refuse: (why: string) => void, fits: () => void): Promise<void> {
    // A store that does not answer now takes no commit either, and said at the start that everything fits.
    const why = await this.#unloadable().catch(() => null);
    if (why === null) fits();
    else refuse(why);
  }

  /** Why this build cannot serve what is stored, or null. */
  async #unloadable(): Promise<string | null> {
    return unloadable(this.charts, await this.#parts.store.actorCounts());
  }

  /** Called whenever a member came, went or told its charts. */
  settle(): void {
    const { self, kinds, member, log } = this.#parts;
    const { nodes } = member().view;
    const others = nodes.filter((row) => isAlive(row) && row.incarnation !== self);
    const told = others.map((row) => this.#parts.chartsOf(row.incarnation));
    const known = nodes.length > 0 && !told.includes(null);
    for (const kind of kinds) {
      const ranges = told.flatMap((charts) => charts?.[kind.name] ?? []);
      const level = levelOf(chartRange(kind), ranges, kind.level, known);
      if (level === kind.level) continue;
      kind.level = level;
      log({ level: 'info', message: 'a kind is written at another chart', kind: kind.name, chart: level });
    }
  }
}
