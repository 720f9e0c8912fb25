import type { Cancel, Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { type Log, textOf } from './log.ts';
import type { Member } from './member.ts';
import { preferred } from './rendezvous.ts';

/** Sweeps of one round, so that a long backlog is spread over several. */
const SWEEPS_PER_ROUND_MAX = 20;
const SWEEPER_SHARD = 0;

export interface RowSweepParts {
  readonly self: string;
  readonly member: Member;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number; readonly sweepRowsMax: number };
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/** Removes rows whose time has passed, on a schedule, on one node of the cluster: the one shard 0 prefers. */
export class RowSweep {
  readonly #parts: RowSweepParts;
  #timer: Cancel = () => {};
  #stopped = false;

  constructor(parts: RowSweepParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#stopped) return;
    const { clock, limits, log } = this.#parts;
    this.#timer = clock.after(limits.sweepMs, () => {
      this.#sweep()
        .catch((error: unknown) => log({ level: 'warn', message: 'sweep failed', why: textOf(error) }))
        .finally(() => this.start());
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer();
  }

  async #sweep(): Promise<void> {
    const { store, limits, member, self, now } = this.#parts;
    const { nodes, live } = member.census;
    const staying = nodes.filter((row) => row.state === 'up' && live.has(row.incarnation));
    if (preferred(SWEEPER_SHARD, staying)?.incarnation !== self || !member.fresh) return;
    for (let sweep = 0; sweep < SWEEPS_PER_ROUND_MAX && !this.#stopped; sweep++) {
      if ((await store.sweepRows(now(), limits.sweepRowsMax)) < limits.sweepRowsMax) return;
    }
  }
}
