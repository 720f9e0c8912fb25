import type { Cell, CellShard } from '../../actor/cell.ts';
import { VersionFloor } from '../commit/version-floor.ts';

/** One shard served here, under one epoch. A new adoption is a new object: what belongs to the old one never counts. */
export class Shard implements CellShard {
  readonly id: number;
  readonly epoch: number;
  /** Monotonic ms of the adoption. */
  readonly adoptedAt: number;
  serving: 'live' | 'quiescing' | 'gone' = 'live';
  readonly cells = new Set<Cell>();
  /** Messages taken and not finished, wherever they wait. */
  mails = 0;
  /** Entries not judged yet. */
  entries = 0;
  committed = false;
  /** Actors whose timers do not load, and why. */
  readonly faults = new Map<string, string>();
  /** Quarantined actors that were reported already. */
  readonly reported = new Set<string>();
  readonly onReleased: (() => void)[] = [];
  readonly versionFloor = new VersionFloor();

  constructor(shard: number, epoch: number, adoptedAt: number) {
    this.id = shard;
    this.epoch = epoch;
    this.adoptedAt = adoptedAt;
  }
}
