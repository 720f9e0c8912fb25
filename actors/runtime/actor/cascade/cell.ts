import { ownerHash, ownerOf } from '../address.ts';
import type { Answer } from '../answer.ts';
import type { RegisteredKind } from '../charts/register.ts';
import type { Snapshot } from '../charts/snapshot.ts';
import type { LastRecord } from '../history/step-record.ts';
import type { Mail } from './mailbox.ts';
import { Mailbox } from './mailbox.ts';
import type { PendingCommit } from './pending-commit.ts';
import { RowCache } from './row-cache.ts';
import { type Stepper, TransitionLog } from './transition-log.ts';

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
  /** The newest record of the actor as of this step. */
  recorded: LastRecord | null;
}

/** The part of its shard that a cell uses. */
export interface CellShard extends Stepper {
  readonly id: number;
  /** `quiescing`: accepts no new event. `gone`: released or lost; nothing here may be used or written any more. */
  serving: 'live' | 'quiescing' | 'gone';
}

/**
 * One actor in memory: its mailbox, its newest snapshot, which may be ahead of the store, and its cached rows. A cell
 * is passive: the dispatcher steps it and the commit queue updates what is durable.
 */
export class Cell {
  readonly address: string;
  readonly kind: RegisteredKind;
  readonly shard: CellShard;
  readonly mailbox = new Mailbox();
  /** `ownerHash` of the owner, as stored. */
  readonly hash: number;
  rows: RowCache;
  transitionLog: TransitionLog;

  phase: 'loading' | 'ready' | 'quarantined' = 'loading';
  /** Null: the actor does not exist, or is not loaded yet. */
  snapshot: Snapshot | null = null;
  /** Version of `snapshot`; while the actor does not exist, the version that its first step must exceed. */
  version = 0;
  /** Version in the last write passed to the store: the expected version of the next write. */
  handedVersion = 0;
  /** Version at load. It exceeds the stored version when a refused commit or the actor's end undid later ones. */
  restoredVersion = 0;
  /** Highest version known durable. */
  durableVersion = 0;
  /** Store time of its newest event. */
  lastAt = 0;
  /** The newest entry its state depends on; null when its state is durable, or volatile. */
  pending: PendingCommit | null = null;
  /** Its newest record since it was loaded; null for none. */
  recorded: LastRecord | null = null;
  /** Its last step ended the actor, and that step is not durable yet. */
  stopping = false;
  /** The change of the running cascade; null outside a cascade. */
  draft: Change | null = null;

  /** A message to step again once its missing actors and rows are loaded. */
  parked: Mail | null = null;
  /** Number of loads that `parked` still waits for. */
  awaiting = 0;
  /** Number of other actors' messages that need this cell to stay in memory. */
  pins = 0;
  /** Whether the cell is in the run queue, and its successor there; only that queue writes the latter. */
  queued = false;
  nextQueued: Cell | null = null;
  /** Called once when loading ends, with the failure or null. */
  readonly onLoaded: ((failure: Answer | null) => void)[] = [];
  /** The cause of the quarantine. */
  fault = '';
  /** Number of deferred inputs in the store that earlier owners of the shard wrote. */
  deferredStored = 0;

  /** Its neighbours in the order of use; only that list writes these. */
  newer: Cell | null = null;
  older: Cell | null = null;
  ordered = false;

  /** Number of the batch that wrote it last, and its position there. */
  batch = 0;
  place = 0;
  /** Size of its last write in bytes: the estimate by which a batch is bounded. */
  bytes = 1_024;

  constructor(address: string, kind: RegisteredKind, shard: CellShard, transitionsMax: number) {
    this.address = address;
    this.kind = kind;
    this.shard = shard;
    this.hash = ownerHash(ownerOf(address));
    this.rows = new RowCache(address);
    this.transitionLog = new TransitionLog(transitionsMax, shard);
  }

  /** Drops all state that may be ahead of the store, so that it is loaded again; the mailbox stays. */
  rewind(): void {
    this.phase = 'loading';
    this.snapshot = null;
    this.version = 0;
    this.handedVersion = 0;
    this.restoredVersion = 0;
    this.durableVersion = 0;
    this.pending = null;
    this.recorded = null;
    this.stopping = false;
    this.awaiting = 0;
    this.deferredStored = 0;
    this.rows = new RowCache(this.address);
    this.transitionLog = this.transitionLog.emptied();
  }

  /** True when the actor does not exist and nothing else keeps the cell in memory. */
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

  /** True when its state is ahead of everything passed to the store, because of volatile steps. */
  get dirty(): boolean {
    const written = Math.max(this.handedVersion, this.restoredVersion);
    return this.phase === 'ready' && this.snapshot !== null && this.version > written;
  }
}
