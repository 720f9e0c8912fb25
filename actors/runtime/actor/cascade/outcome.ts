import type { ActorEvent, Json } from '../event.ts';
import type { Change } from './cell.ts';
import type { Publish } from './pending-commit.ts';
import type { RowWrite } from './row-cache.ts';

/** The position of a record in the batch that wrote it last: within one batch a later write replaces an earlier one. */
export interface Placed {
  batch: number;
  place: number;
}

/** The write of a timer; a null event removes it. */
export interface TimerWrite {
  readonly address: string;
  readonly name: string;
  /** Store time, ms. */
  readonly dueAt: number;
  readonly event: ActorEvent | null;
  /** The timer in memory, once the write has been applied. */
  slot: Placed | null;
}

/** Records of an actor to remove with the commit, before its rows are written. */
export interface Trim {
  readonly address: string;
  /** Number of its newest records to keep; 0 where the actor ends. */
  readonly stepsMax: number;
  /** The version of the step that causes it. */
  readonly version: number;
}

/** All effects of the steps of one cascade, in order. None of them has happened yet. */
export interface Outcome {
  readonly changes: readonly Change[];
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
  readonly publishes: readonly Publish[];
  readonly trims: readonly Trim[];
  readonly replied: boolean;
  readonly reply: Json;
  /** False: no commit is needed, either because nothing changed or because all of it is volatile. */
  readonly durable: boolean;
  /** True when a message to another shard or an activity starts once the outcome is durable. */
  readonly outgoing: boolean;
}

/** How a cascade ended. Only `done` may be installed; after every other end nothing has happened. */
export type CascadeEnd =
  | 'done'
  | 'failed'
  /** The root actor's state has no transition for the event. */
  | 'unhandled'
  /** The root actor refused the event. */
  | 'refused'
  /** Another actor refused a message of the cascade, or its state has no transition for it. */
  | 'rejected'
  /** The root actor does not exist, has ended, or is being stopped (its end is not durable yet). */
  | 'absent'
  | 'finished'
  | 'stopping'
  /** An actor or a row must be loaded first; then the event is stepped again. */
  | 'lacking'
  /** The outbox of the shard accepts no further messages for now. */
  | 'outbox-full';
