import type { Clock } from '../../ports/clock.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import type { OutputGate } from '../commit/output-gate.ts';
import type { Replay } from '../quarantine/replay.ts';
import type { Loader } from '../residency/loader.ts';
import type { Timers } from '../timers/timers.ts';
import type { CellRegistry } from './cell-registry.ts';
import type { EngineHost } from './engine.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { StepWatchers } from './step-watchers.ts';

/** The dependencies of a dispatcher. */
export interface DispatcherParts {
  readonly registry: CellRegistry;
  readonly queue: CommitQueue;
  readonly outputGate: OutputGate;
  readonly loader: Loader;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly now: () => number;
  readonly limits: EngineLimits;
  readonly host: EngineHost;
  readonly watchers: StepWatchers;
  /** The incarnation of this node. */
  readonly self: string;
  /** Inputs deferred while their actor was quarantined. */
  readonly replay: Replay;
  /** A cell was opened, so the number of cells may exceed its limit. */
  readonly opened: () => void;
  /** Messages ended, so a shard that is being released may be quiescent. */
  readonly eased: () => void;
}
