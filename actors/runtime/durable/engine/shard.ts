import type { Cell, CellShard } from '../../actor/cell.ts';
import type { Stepper } from '../../actor/transition-log.ts';
import { VersionFloor } from '../commit/version-floor.ts';

/** One shard served here, under one epoch. Each adoption creates a new object, so results of an old one are ignored. */
export class Shard implements CellShard {
  readonly id: number;
  readonly epoch: number;
  /** Name of this node. */
  readonly node: string;
  /** Monotonic ms of the adoption. */
  readonly adoptedAt: number;
  serving: 'live' | 'quiescing' | 'gone' = 'live';
  readonly cells = new Set<Cell>();
  /** Messages accepted and not finished, in any queue. */
  mails = 0;
  /** Entries not yet judged. */
  entries = 0;
  committed = false;
  /** Actors whose timers fail to load, and the reason. */
  readonly faults = new Map<string, string>();
  /** Quarantined actors already reported. */
  readonly reported = new Set<string>();
  readonly onReleased: (() => void)[] = [];
  readonly versionFloor = new VersionFloor();

  constructor(shard: number, { epoch, node }: Stepper, adoptedAt: number) {
    this.id = shard;
    this.epoch = epoch;
    this.node = node;
    this.adoptedAt = adoptedAt;
  }
}
