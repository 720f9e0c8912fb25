import type { Change } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
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

/** All effects of the steps of one cascade, in order. None of them has happened yet. */
export interface Outcome {
  readonly changes: readonly Change[];
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
  readonly publishes: readonly Publish[];
  readonly replied: boolean;
  readonly reply: Json;
  /** False: no commit is needed, either because nothing changed or because all of it is volatile. */
  readonly durable: boolean;
  /** True when a message to another shard or an activity starts once the outcome is durable. */
  readonly outgoing: boolean;
}
