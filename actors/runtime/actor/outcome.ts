import type { Change } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { Publish } from './pending-commit.ts';
import type { RowWrite } from './row-cache.ts';

/** Where a thing stands in the batch that wrote it last: later writes in one batch replace earlier ones. */
export interface Placed {
  batch: number;
  place: number;
}

/** A timer as it shall stand; a null event removes it. */
export interface TimerWrite {
  readonly address: string;
  readonly name: string;
  /** Store time, ms. */
  readonly dueAt: number;
  readonly event: ActorEvent | null;
  /** The timer in memory, once the write was taken over. */
  slot: Placed | null;
}

/** Everything the steps of one cascade ask for, in order. Nothing of it has happened yet. */
export interface Outcome {
  readonly changes: readonly Change[];
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
  readonly publishes: readonly Publish[];
  readonly replied: boolean;
  readonly reply: Json;
  /** False: nothing of it needs the store, either because nothing changed or because all of it is volatile. */
  readonly durable: boolean;
  /** Something of it begins beyond the shard once it is durable: a message, or work in the world. */
  readonly outgoing: boolean;
}
