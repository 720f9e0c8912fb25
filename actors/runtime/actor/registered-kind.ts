import type { AnyStateMachine } from 'xstate';
import type { Branches } from './branches.ts';
import type { Json } from './event.ts';
import type { Kind, SavedState } from './kind.ts';
import type { StepScope } from './step-scope.ts';

/** A collection as the engine uses it: every optional member filled in. */
export interface RegisteredCollection {
  readonly name: string;
  readonly sort: (body: Json) => number;
  readonly index: readonly ((body: Json) => string | null)[];
  readonly open: ((body: Json) => boolean) | null;
  /** How many open rows a chart may ask for in order; 0 where it may not. */
  readonly nextMax: number;
  /** How long a closed row is kept after `sort`, ms; null keeps it. */
  readonly retentionMs: number | null;
  /** The column that names the node on whose behalf a row is open, and what its actor is told when that node dies. */
  readonly leaseRows: { readonly column: number; readonly event: string } | null;
  /** Bytes of the body written last: the estimate by which a batch is bounded. The only member that changes. */
  bodyBytes: number;
}

/** A kind that passed `register`: only these are ever stepped. */
export interface RegisteredKind {
  readonly name: string;
  readonly kind: Kind;
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly upcast: ((saved: SavedState) => SavedState) | null;
  readonly downcast: ((saved: SavedState) => SavedState) | null;
  /** The chart version it is written at: the cluster's level. The only member that changes. */
  level: number;
  readonly creates: ReadonlySet<string>;
  readonly finishes: ReadonlySet<string>;
  readonly volatile: ReadonlySet<string>;
  readonly collections: ReadonlyMap<string, RegisteredCollection>;
  readonly scope: StepScope;
  /** The chart has eventless transitions somewhere. */
  readonly eventless: boolean;
  /**
   * The event types the chart answers to, or null where any type may matter (wildcards, `always`). Other types are
   * never shown to XState, which would keep a look-up entry for each of them for ever.
   */
  readonly knows: ReadonlySet<string> | null;
  /** How a state without substates chooses among its transitions; null where the chart has wildcards. */
  readonly branches: Branches | null;
}
