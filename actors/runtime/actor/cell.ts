import { ownerHash, ownerOf } from './address.ts';
import type { Answer } from './answer.ts';
import type { Mail } from './mail.ts';
import { Mailbox } from './mailbox.ts';
import type { PendingCommit } from './pending-commit.ts';
import type { RegisteredKind } from './registered-kind.ts';
import { RowCache } from './row-cache.ts';
import type { Snapshot } from './snapshot.ts';
import { TransitionLog } from './transition-log.ts';

/** One step that changed its actor. */
export interface Change {
  readonly cell: Cell;
  readonly snapshot: Snapshot;
  readonly version: number;
  /** Store time, ms. */
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  /** The actor ends with this step. */
  readonly stopped: boolean;
}

/** The shard a cell belongs to, as far as a cell cares. */
export interface CellShard {
  readonly id: number;
  readonly epoch: number;
  /** `sealing` takes no new event; `gone` means that nothing here counts any more. */
  serving: 'live' | 'sealing' | 'gone';
}

/**
 * One actor in memory: what waits for it, its newest snapshot, which may be ahead of the store, and the rows beside
 * it. A cell decides nothing; the runner steps it and the commit queue tells it what became durable.
 */
export class Cell {
  readonly address: string;
  readonly kind: RegisteredKind;
  readonly shard: CellShard;
  readonly mailbox = new Mailbox();
  /** FNV hash of the owner, as stored. */
  readonly hash: number;
  rows: RowCache;
  transitionLog: TransitionLog;

  phase: 'loading' | 'ready' | 'quarantined' = 'loading';
  /** Null: the actor does not exist, or is not loaded yet. */
  snapshot: Snapshot | null = null;
  /** Version of `snapshot`; 0 while the actor does not exist. */
  version = 0;
  /** Version last handed to the store: what the next write expects to find there. */
  handedVersion = 0;
  /** Version it was loaded as: above the stored one when a refused commit took later ones back. */
  restoredVersion = 0;
  /** Highest version known durable. */
  durableVersion = 0;
  /** Store time of its newest event. */
  lastAt = 0;
  /** The newest entry its state depends on; null when its state is durable, or volatile. */
  pending: PendingCommit | null = null;
  /** Its last step ended it and that is not durable yet. */
  stopping = false;
  /** The change a running cascade would make; null outside a cascade. */
  draft: Change | null = null;

  /** A message that must be stepped again when what it lacks has been fetched. */
  parked: Mail | null = null;
  /** How many fetches `parked` still waits for. */
  awaiting = 0;
  /** How many messages of other actors need this cell to stay. */
  pins = 0;
  /** In the run queue, and the next one there; only that queue touches the latter. */
  queued = false;
  nextQueued: Cell | null = null;
  /** Called once when loading ends, with what went wrong or null. */
  readonly onLoaded: ((failure: Answer | null) => void)[] = [];
  /** Why it is quarantined. */
  fault = '';
  /** Inputs of earlier owners that wait in the store beside this actor, which does not load, and they with it. */
  deferredStored = 0;

  /** Its neighbours in the order of use; only that list touches these. */
  newer: Cell | null = null;
  older: Cell | null = null;
  ordered = false;

  /** Number of the batch that wrote it last, and its place there. */
  batch = 0;
  place = 0;
  /** Bytes it took when last written: the estimate by which a batch is bounded. */
  bytes = 1_024;

  constructor(address: string, kind: RegisteredKind, shard: CellShard, trailMax: number) {
    this.address = address;
    this.kind = kind;
    this.shard = shard;
    this.hash = ownerHash(ownerOf(address));
    this.rows = new RowCache(address);
    this.transitionLog = new TransitionLog(trailMax);
  }

  /** Forgets all state that may be ahead of the store, to be loaded again; what waits for the actor stays. */
  rewind(trailMax: number): void {
    this.phase = 'loading';
    this.snapshot = null;
    this.version = 0;
    this.handedVersion = 0;
    this.restoredVersion = 0;
    this.durableVersion = 0;
    this.pending = null;
    this.stopping = false;
    this.awaiting = 0;
    this.deferredStored = 0;
    this.rows = new RowCache(this.address);
    this.transitionLog = new TransitionLog(trailMax);
  }

  /** True when nothing needs the cell to stay although its actor does not exist. */
  get vacant(): boolean {
    return (
      this.phase === 'ready' &&
      this.snapshot === null &&
      this.pending === null &&
      this.rows.unsettled === 0 &&
      this.parked === null &&
      this.pins === 0 &&
      this.mailbox.size === 0
    );
  }

  /** True when its state is ahead of everything handed to the store: volatile steps since. */
  get dirty(): boolean {
    const written = Math.max(this.handedVersion, this.restoredVersion);
    return this.phase === 'ready' && this.snapshot !== null && this.version > written;
  }
}
