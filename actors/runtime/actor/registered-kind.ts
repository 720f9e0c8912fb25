import type { AnyStateMachine } from 'xstate';
import type { Branches } from './branches.ts';
import type { Json } from './event.ts';
import type { Kind, SavedState } from './kind.ts';
import type { StepScope } from './step-scope.ts';

/** A collection as the engine uses it, with defaults for every optional member. */
export interface RegisteredCollection {
  readonly name: string;
  readonly sort: (body: Json) => number;
  readonly index: readonly ((body: Json) => string | null)[];
  readonly open: ((body: Json) => boolean) | null;
  /** Open rows that a chart may request in order; 0: none. */
  readonly nextMax: number;
  /** Retention of a closed row after `sort`, ms; null keeps it. */
  readonly retentionMs: number | null;
  /** The column with the node on whose behalf a row is open, and the event its actor receives when that node dies. */
  readonly leaseRows: { readonly column: number; readonly event: string } | null;
  /** Which written rows the node reports to its host; null: none. */
  readonly reported: ((body: Json) => boolean) | null;
  /** Size of the last written body in bytes: the estimate by which a batch is bounded. The only mutable member. */
  bodyBytes: number;
}

/** A kind that passed `register`; only these are stepped. */
export interface RegisteredKind {
  readonly name: string;
  readonly kind: Kind;
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly upcast: ((saved: SavedState) => SavedState) | null;
  readonly downcast: ((saved: SavedState) => SavedState) | null;
  /** The chart version that snapshots are written at: the cluster's level. The only mutable member. */
  level: number;
  readonly creates: ReadonlySet<string>;
  readonly finishes: ReadonlySet<string>;
  readonly volatile: ReadonlySet<string>;
  readonly activities: ReadonlySet<string>;
  readonly collections: ReadonlyMap<string, RegisteredCollection>;
  readonly scope: StepScope;
  /** True if the chart has eventless transitions. */
  readonly eventless: boolean;
  /**
   * The event types the chart handles, or null if any type may matter (wildcards, `always`). Other types are never
   * passed to XState, which would keep a look-up entry for each of them for ever.
   */
  readonly eventTypes: ReadonlySet<string> | null;
  /** The transitions of states without substates; null if the chart has wildcards. */
  readonly branches: Branches | null;
}
