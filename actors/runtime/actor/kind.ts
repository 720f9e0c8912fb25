import type { AnyStateMachine } from 'xstate';
import type { ActorEvent, Json } from './event.ts';

/** A collection of rows that the kind's actors write. Columns derive from the body, so a row has one truth. */
export interface Collection {
  /** Ascending order inside the actor; milliseconds or a sequence number. */
  readonly sort: (body: never) => number;
  /** At most four look-up columns; null is not indexed. */
  readonly index?: readonly ((body: never) => string | null)[];
  /** Open rows are resident beside the cell and load with it. Absent: none is. */
  readonly open?: (body: never) => boolean;
  /**
   * How many open rows a chart may ask for at once with `next`, 1 to `NEXT_ROWS_MAX`; their order is then kept in memory.
   * Absent: the chart asks for one row or for all.
   */
  readonly nextMax?: number;
  /**
   * The index column that holds the id of the blob a row refers to, or null. The blob stays as long as such a row does;
   * within `blobOrphanMs` of its writing it must be named in a commit, and may move between rows only within one.
   */
  readonly blob?: 0 | 1 | 2 | 3;
  /** How long a row that is not open is kept, in ms after `sort` taken as store time; null or absent keeps it. */
  readonly retentionMs?: number | null;
}

/** The largest `nextMax`: rows are shown to a chart as one list, copied for each step. */
export const NEXT_ROWS_MAX = 1_024;

/** Names the rows a chart wants to see with one event. */
export type RowRef =
  /** One row by id. Found among the resident and uncommitted ones, else read from the store if `mayBeStored`. */
  | { readonly as: string; readonly collection: string; readonly id: string; readonly mayBeStored: boolean }
  /** All open rows of a collection, by sort and id. */
  | { readonly as: string; readonly collection: string; readonly open: true }
  /** The first open rows of a collection by sort and id, this many or as many as there are; at most its `nextMax`. */
  | { readonly as: string; readonly collection: string; readonly next: number };

/** Rows that name the node on whose behalf they are open: its death is told to their actor. */
export interface LeaseRows {
  readonly collection: string;
  /** The index column that holds the incarnation. */
  readonly column: 0 | 1 | 2 | 3;
  /** Told to the actor as `{type: event, incarnation}`, once per death and per adoption. */
  readonly event: string;
}

/** What an operator is shown of one actor. */
export interface View {
  readonly address: string;
  readonly state: string;
  readonly context: Json;
  readonly openRows: Readonly<Record<string, readonly { readonly id: string; readonly body: Json }[]>>;
  /** Store time in ms. */
  readonly now: number;
}

/** A snapshot as it is stored, for casters. Plain data; a caster returns a new one. */
export interface SavedState {
  readonly value: Json;
  readonly context: Json;
  readonly status: 'active' | 'done';
}

/** The event every actor of a resident kind gets when its shard is adopted. */
export const ACTIVATED = 'actor.activated';

/** Everything the runtime knows of a kind of actor. */
export interface Kind {
  /** The word before the colon of its addresses. */
  readonly name: string;
  /**
   * Made by `setup()`; initial context from `input: {address}`; never started, only stepped. An event for which the state
   * has no transition, or none whose guard passes, is not handled: nothing of its step is kept. An asker gets `unhandled`,
   * a message of a step in the same shard fails that step's cascade, and a timer, result, notice or message of another
   * shard is a dead letter at once. A state ignores an event by an empty transition: `on: { 'x': {} }`.
   */
  readonly machine: AnyStateMachine;
  /**
   * Chart version, raised by one when a persisted snapshot of the old chart would not do. Rows and events have none:
   * their bodies may only gain members that may be absent, and no member changes its meaning; what has to change more
   * gets a new collection or event type. So builds that live side by side read each other's rows and messages.
   */
  readonly version: number;
  /** A snapshot of the chart before this one, as this one has it. Absent: this build does not load the older ones. */
  readonly upcast?: (saved: SavedState) => SavedState;
  /** The way back, written while a member of the cluster loads no more. Absent: this build cannot write for older ones. */
  readonly downcast?: (saved: SavedState) => SavedState;
  /** Event types that may make an absent actor. */
  readonly creates: readonly string[];
  /** Event types of the finish lane (settle, release, cancel, results): served before the others, never `busy`. */
  readonly finishes: readonly string[];
  /**
   * Event types whose step needs no commit of its own when it asks for nothing durable (no put, remove, schedule,
   * cancel, stop): its answer leaves at once, its state is written with the actor's next commit and at hand-over.
   */
  readonly volatile: readonly string[];
  /** Given the event `ACTIVATED` whenever its shard is adopted. */
  readonly resident?: boolean;
  readonly collections: Readonly<Record<string, Collection>>;
  /** Rows the chart sees with this event. Absent: none. */
  readonly rows?: (event: ActorEvent) => readonly RowRef[];
  readonly leaseRows?: LeaseRows;
  /** For `why`: the state in the kind's own words, one sentence per line, most important first. */
  readonly explain: (view: View) => readonly string[];
  /** The context without what nobody may see. */
  readonly redact: (context: Json) => Json;
}
