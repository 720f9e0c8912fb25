/** How often each node of a launcher was started again after a death, and how it last ended. */
import type { NodeRestarts } from '../../../actors/runtime/index.ts';

/** Times kept of a node. */
const TIMES_MAX = 100;

export interface RestartAfter {
  /** Wall-clock ms of the end. */
  readonly at: number;
  readonly reason: string;
  /** A drain: it was asked for, so that it is no death. */
  readonly isPlanned: boolean;
}

export class Restarts {
  private readonly byName: Map<string, NodeRestarts>;

  constructor(names: readonly string[]) {
    this.byName = new Map(names.map((name) => [name, { name, total: 0, times: [], lastEnd: null }]));
  }

  note(name: string, { at, reason, isPlanned }: RestartAfter): NodeRestarts {
    const { total, times } = this.byName.get(name) ?? { total: 0, times: [] };
    const counted = isPlanned ? { total, times } : { total: total + 1, times: [...times, at].slice(-TIMES_MAX) };
    const noted = { name, ...counted, lastEnd: { reason, at } };
    this.byName.set(name, noted);
    return noted;
  }

  all(): readonly NodeRestarts[] {
    return [...this.byName.values()];
  }
}
