import type { AnyStateMachine } from 'xstate';
import type { ActorEvent, Json } from './event.ts';

/** A collection of rows that the kind's actors write. Columns are derived from the body, which is the only source. */
export interface Collection {
  /** Ascending order inside the actor; milliseconds or a sequence number. */
  readonly sort: (body: never) => number;
  /** At most four look-up columns; null values are not indexed. */
  readonly index?: readonly ((body: never) => string | null)[];
  /** Open rows are loaded with the actor and stay in memory. Absent: no row is open. */
  readonly open?: (body: never) => boolean;
  /**
   * Number of open rows that a chart may request at once with `next`, 1 to `NEXT_ROWS_MAX`; their order is then kept in
   * memory. Absent: the chart may request one row or all.
   */
  readonly nextMax?: number;
  /**
   * The index column with the id of the blob a row refers to, or null. The blob is kept as long as such a row exists. A
   * commit must name the blob within `blobOrphanMs` of its write, and a blob may move between rows only within one
   * commit.
   */
  readonly blob?: 0 | 1 | 2 | 3;
  /** Retention of a row that is not open, in ms after `sort` taken as store time; null or absent keeps it. */
  readonly retentionMs?: number | null;
  /** True for a written row that the node reports to its host once the commit is durable. Absent: none is reported. */
  readonly reported?: (body: never) => boolean;
}

/** The largest `nextMax`: a chart receives rows as one list, copied for each step. */
export const NEXT_ROWS_MAX = 1_024;

/** A request for the rows that a chart receives with one event. */
export type RowRef =
  /** One row by id, from the resident and uncommitted rows, else read from the store if `mayBeStored`. */
  | { readonly as: string; readonly collection: string; readonly id: string; readonly mayBeStored: boolean }
  /** All open rows of a collection, by sort and id. */
  | { readonly as: string; readonly collection: string; readonly open: true }
  /** The first `next` open rows of a collection by sort and id, or all if there are fewer; at most its `nextMax`. */
  | { readonly as: string; readonly collection: string; readonly next: number };

/** Lease rows: each names the node on whose behalf it is open, and its actor is notified when that node dies. */
export interface LeaseRows {
  readonly collection: string;
  /** The index column with the node's incarnation. */
  readonly column: 0 | 1 | 2 | 3;
  /** Sent to the actor as `{type: event, incarnation}`, once per death and per adoption. */
  readonly event: string;
}

/** The operator's view of one actor, the argument of `explain`. */
export interface View {
  readonly address: string;
  readonly state: string;
  readonly context: Json;
  readonly openRows: Readonly<Record<string, readonly { readonly id: string; readonly body: Json }[]>>;
  /** Store time in ms. */
  readonly now: number;
}

/** A stored snapshot, the argument of casters. Plain data; a caster returns a new one. */
export interface SavedState {
  readonly value: Json;
  readonly context: Json;
  readonly status: 'active' | 'done';
}

/** The event that every actor of a resident kind receives when its shard is adopted. */
export const ACTIVATED = 'actor.activated';

/** Which steps of a kind's actors are recorded, and how many are kept. */
export interface History {
  /**
   * Steps recorded without a request: all of them, or those for whose event it is true. Steps of volatile event types
   * are recorded on request only, since a record needs a commit. On request every step of one actor is recorded.
   */
  readonly always: boolean | ((event: ActorEvent) => boolean);
  /** A record is kept this long, at most; the actor's end removes all of its records in the same commit. */
  readonly days: number;
  /** Records of one actor that are kept; the oldest beyond are removed in the commits of later ones. */
  readonly stepsMax: number;
}

/** The definition of a kind of actor. */
export interface Kind {
  /** The part of its addresses before the colon. */
  readonly name: string;
  /**
   * Made by `setup()`; initial context from `input: {address}`; stepped, never started. An event is unhandled if the
   * state has no transition for it, or none whose guard passes; nothing of its step is then committed. An asker gets
   * `unhandled`, a message of a step in the same shard fails that step's cascade, and a timer, result, notice or
   * message of another shard becomes a dead letter immediately. To ignore an event, a state has an empty transition:
   * `on: { 'x': {} }`.
   */
  readonly machine: AnyStateMachine;
  /**
   * Chart version, raised by one when a persisted snapshot of the previous chart is not valid for the new one. Rows and
   * events have no version: their bodies may only gain members that may be absent, and no member changes its meaning;
   * any larger change needs a new collection or event type. So builds that run side by side read each other's rows and
   * messages.
   */
  readonly version: number;
  /** Converts a snapshot of the previous chart to this one. Absent: this build does not load older snapshots. */
  readonly upcast?: (saved: SavedState) => SavedState;
  /**
   * Converts a snapshot to the previous chart, used while a member of the cluster cannot load this one. Absent: this
   * build cannot write for older ones.
   */
  readonly downcast?: (saved: SavedState) => SavedState;
  /** Event types that may create an absent actor. */
  readonly creates: readonly string[];
  /**
   * Event types of the finish lane (settle, release, cancel, results): served before the start lane, never answered
   * `busy`.
   */
  readonly finishes: readonly string[];
  /**
   * Event types whose step needs no commit of its own when it returns no durable effect (put, remove, schedule, cancel,
   * stop): its answer leaves at once, its state is written with the actor's next commit and at hand-over.
   */
  readonly volatile: readonly string[];
  /**
   * Names of the activities that its steps may start with `perform`; absent: none. The chart has transitions for
   * `<name>.done`, `<name>.failed` and `<name>.attempt` of each; an empty transition ignores one.
   */
  readonly activities?: readonly string[];
  /** True if its actors receive the event `ACTIVATED` whenever their shard is adopted. */
  readonly resident?: boolean;
  readonly collections: Readonly<Record<string, Collection>>;
  /** Rows that the chart receives with this event. Absent: none. */
  readonly rows?: (event: ActorEvent) => readonly RowRef[];
  readonly leaseRows?: LeaseRows;
  /** Absent: steps are recorded on request only, for at most a day (`HISTORY_ON_REQUEST`). */
  readonly history?: History;
  /** A word that `ps` shows behind the state, such as `paused`; null or absent: none. */
  readonly note?: (context: Json) => string | null;
  /** For `why`: explains the state, one sentence per line, most important first. */
  readonly explain: (view: View) => readonly string[];
  /**
   * The context without members that operators must not see. Texts that only the unredacted context holds are hidden in
   * recorded events and rows as well.
   */
  readonly redact: (context: Json) => Json;
}
