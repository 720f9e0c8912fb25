import type { Clock } from '../ports/clock.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { EngineHost } from './engine.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { Floor } from './floor.ts';
import type { Gate } from './gate.ts';
import type { Keeper } from './keeper.ts';
import type { Loader } from './loader.ts';
import type { Timers } from './timers.ts';

/** What a runner works with. */
export interface RunnerParts {
  readonly floor: Floor;
  readonly queue: CommitQueue;
  readonly gate: Gate;
  readonly loader: Loader;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly now: () => number;
  readonly limits: EngineLimits;
  readonly host: EngineHost;
  /** The incarnation of this node. */
  readonly self: string;
  /** Inputs kept while their actor was quarantined. */
  readonly keeper: Keeper;
  /** A cell was opened: there may be too many now. */
  readonly opened: () => void;
  /** Messages ended: a shard that is being sealed may be done. */
  readonly eased: () => void;
}
