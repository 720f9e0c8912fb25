import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Log } from './log.ts';
import { PeriodicTask } from './periodic-task.ts';

/** Bound on the sweeps of one round; a longer backlog is spread over several rounds. */
const SWEEPS_PER_ROUND_MAX = 20;

export interface RowSweepParts {
  /** Only one node of the cluster sweeps. */
  readonly isMine: () => boolean;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number; readonly sweepRowsMax: number };
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/** Removes expired rows periodically. */
export function rowSweep({ isMine, store, clock, limits, log, now }: RowSweepParts): PeriodicTask {
  return new PeriodicTask({
    ...{ name: 'row sweep', clock, log },
    everyMs: () => limits.sweepMs,
    run: async (stopped) => {
      if (!isMine()) return;
      for (let sweep = 0; sweep < SWEEPS_PER_ROUND_MAX && !stopped(); sweep++) {
        if ((await store.sweepRows(now(), limits.sweepRowsMax)) < limits.sweepRowsMax) return;
      }
    },
  });
}
