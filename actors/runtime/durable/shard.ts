import type { Cell, CellShard } from '../actor/cascade/cell.ts';
import type { Stepper } from '../actor/cascade/transition-log.ts';

/** Actors of one shard with a floor of their own. Others use the shard's highest version: a gap in versions is safe. */
export const VERSION_FLOORS_MAX = 4_096;

/**
 * Versions that actors had before a refused commit rewound them. Their next publication must have a newer version. A
 * floor is removed when a later version of its actor is durable, because the stored version then serves as the floor.
 * An actor that ended leaves no stored version, so the floor also keeps the versions at which actors ended.
 */
export class VersionFloor {
  readonly #versions = new Map<string, number>();
  /** The highest version of any actor without a floor of its own. */
  #others = 0;
  /** The highest version at which an actor of this shard ended: one number, since a gap in versions is safe. */
  #ended = 0;

  note(address: string, version: number): void {
    if (this.#versions.size >= VERSION_FLOORS_MAX && !this.#versions.has(address)) {
      for (const each of this.#versions.values()) this.#others = Math.max(this.#others, each);
      this.#versions.clear();
    }
    this.#versions.set(address, version);
  }

  /** 0 for an actor that was never rewound. */
  of(address: string): number {
    return this.#versions.get(address) ?? this.#others;
  }

  /** An actor's end at this version is durable. */
  ended(version: number): void {
    this.#ended = Math.max(this.#ended, version);
  }

  /** An absent actor begins above this version: the boards still hold what it published in an earlier life. */
  ofAbsent(address: string): number {
    return Math.max(this.of(address), this.#ended);
  }

  /** A later version of the actor is durable. */
  passed(address: string): void {
    if (this.#versions.size > 0) this.#versions.delete(address);
  }
}

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
