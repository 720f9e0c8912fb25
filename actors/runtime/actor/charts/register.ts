import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { ActorEvent, Json } from '../event.ts';
import { ACTIVATED, type Collection, type History, type Kind, NEXT_ROWS_MAX, type SavedState } from '../kind.ts';
import { checkChart, KindRefused } from './check-chart.ts';
import { Branches, type PlainChart } from './plain-step.ts';
import { createStepScope } from './step-scope.ts';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const INDEX_COLUMNS_MAX = 4;

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

const DAY_MS = 86_400_000;
/** Of kinds that declare no history: at 1,000 steps a second ten seconds, at one a second three hours. */
const HISTORY_ON_REQUEST: History = { always: false, days: 1, stepsMax: 10_000 };

/** The history of a kind as the engine uses it. */
interface RegisteredHistory {
  /** Null: nothing is recorded without a request. */
  readonly always: ((event: ActorEvent) => boolean) | null;
  readonly retentionMs: number;
  readonly stepsMax: number;
}

/** A kind that passed `register`; only these are stepped. */
export interface RegisteredKind extends PlainChart {
  readonly name: string;
  readonly kind: Kind;
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
  readonly history: RegisteredHistory;
  /**
   * The event types the chart handles, or null if any type may matter (wildcards, `always`). Other types are never
   * passed to XState, which would keep a look-up entry for each of them for ever.
   */
  readonly eventTypes: ReadonlySet<string> | null;
}

/**
 * Registers a kind, or throws `KindRefused` naming the kind, the state and the member at fault. It finds before
 * production everything that cannot be stepped purely, persisted as JSON or addressed.
 */
export function register(kind: Kind): RegisteredKind {
  if (!NAME.test(kind.name)) throw new KindRefused(kind.name, 'its name cannot begin an address (a-z, 0-9, -; 32)');
  if (!Number.isInteger(kind.version) || kind.version < 1) {
    throw new KindRefused(kind.name, `version ${kind.version} is not a positive integer`);
  }
  if (kind.version === 1 && (kind.upcast !== undefined || kind.downcast !== undefined)) {
    throw new KindRefused(kind.name, 'its first version has nothing to cast from or to');
  }
  for (const type of [...kind.creates, ...kind.finishes, ...kind.volatile]) {
    if (type === '' || type.startsWith('xstate.'))
      throw new KindRefused(kind.name, `"${type}" cannot be an event type`);
  }
  checkChart(kind.name, kind.machine);
  const collections = new Map<string, RegisteredCollection>();
  for (const [name, collection] of Object.entries(kind.collections)) {
    collections.set(name, takeCollection(kind, name, collection));
  }
  checkLeaseRows(kind, collections);
  const { eventless, named, eventTypes } = eventsOf(kind.machine);
  if (named !== null) checkHandled(kind, named);
  return {
    name: kind.name,
    kind,
    machine: kind.machine,
    version: kind.version,
    upcast: kind.upcast ?? null,
    downcast: kind.downcast ?? null,
    level: kind.version,
    creates: new Set(kind.creates),
    finishes: new Set(kind.finishes),
    volatile: new Set(kind.volatile),
    activities: new Set(kind.activities),
    collections,
    history: takeHistory(kind),
    scope: createStepScope(kind.name),
    eventless,
    eventTypes,
    branches: named === null ? null : new Branches(kind.machine, named),
  };
}

/** Every event that creates an actor or that the runtime itself sends must have a transition somewhere in the chart. */
function checkHandled(kind: Kind, named: ReadonlySet<string>): void {
  const ends = (kind.activities ?? []).flatMap((name) => ['done', 'failed', 'attempt'].map((end) => `${name}.${end}`));
  const own = [...(kind.resident ? [ACTIVATED] : []), ...(kind.leaseRows ? [kind.leaseRows.event] : []), ...ends];
  for (const type of [...kind.creates, ...own]) {
    if (!named.has(type)) throw new KindRefused(kind.name, `no state has a transition for ${type}`);
  }
}

function takeCollection({ name: kind, leaseRows }: Kind, name: string, collection: Collection): RegisteredCollection {
  if (!NAME.test(name)) throw new KindRefused(kind, `collection "${name}" has no usable name (a-z, 0-9, -; 32)`);
  if (typeof collection.sort !== 'function') throw new KindRefused(kind, `collection ${name} has no sort`);
  const index = collection.index ?? [];
  if (index.length > INDEX_COLUMNS_MAX) {
    throw new KindRefused(kind, `collection ${name} has ${index.length} index columns, at most ${INDEX_COLUMNS_MAX}`);
  }
  if (collection.blob !== undefined && collection.blob >= index.length) {
    throw new KindRefused(
      kind,
      `collection ${name} names column ${collection.blob} as its blob, which is not declared`,
    );
  }
  checkNext(kind, name, collection);
  const retentionMs = collection.retentionMs ?? null;
  if (retentionMs !== null && !(Number.isFinite(retentionMs) && retentionMs >= 0)) {
    throw new KindRefused(kind, `collection ${name} has a retentionMs of ${retentionMs}`);
  }
  return {
    name,
    sort: collection.sort as (body: Json) => number,
    index: index as readonly ((body: Json) => string | null)[],
    open: (collection.open as ((body: Json) => boolean) | undefined) ?? null,
    nextMax: collection.nextMax ?? 0,
    retentionMs,
    leaseRows: leaseRows?.collection === name ? { column: leaseRows.column, event: leaseRows.event } : null,
    reported: (collection.reported as ((body: Json) => boolean) | undefined) ?? null,
    bodyBytes: 512,
  };
}

function takeHistory({ name, volatile, history = HISTORY_ON_REQUEST }: Kind): RegisteredHistory {
  const { always, days, stepsMax } = history;
  if (!Number.isInteger(stepsMax) || stepsMax < 1)
    throw new KindRefused(name, `its history has a stepsMax of ${stepsMax}`);
  if (!(Number.isFinite(days) && days > 0)) throw new KindRefused(name, `its history has ${days} days`);
  const retentionMs = days * DAY_MS;
  if (always === false) return { always: null, retentionMs, stepsMax };
  const onRequest = new Set(volatile);
  const chosen = always === true ? () => true : always;
  return { always: (event) => !onRequest.has(event.type) && chosen(event), retentionMs, stepsMax };
}

function checkNext(kind: string, name: string, { nextMax, open }: Collection): void {
  if (nextMax === undefined) return;
  if (!Number.isInteger(nextMax) || nextMax < 1 || nextMax > NEXT_ROWS_MAX) {
    throw new KindRefused(kind, `collection ${name} has a nextMax of ${nextMax}, which must be 1 to ${NEXT_ROWS_MAX}`);
  }
  if (open === undefined) throw new KindRefused(kind, `collection ${name} has a nextMax and no open rows`);
}

function checkLeaseRows(kind: Kind, collections: ReadonlyMap<string, RegisteredCollection>): void {
  if (!kind.leaseRows) return;
  const { collection: name, column } = kind.leaseRows;
  const collection = collections.get(name);
  if (!collection) throw new KindRefused(kind.name, `leaseRows names collection ${name}, which it does not have`);
  if (column >= collection.index.length) {
    throw new KindRefused(kind.name, `leaseRows names column ${column} of ${name}, which is not declared`);
  }
  if (collection.open === null)
    throw new KindRefused(kind.name, `leaseRows needs a collection ${name} that declares open`);
}

/** The events that a chart has transitions for. */
interface ChartEvents {
  /** True if it has eventless transitions. */
  readonly eventless: boolean;
  /** The types it has transitions for, or null if it has wildcards. */
  readonly named: ReadonlySet<string> | null;
  /** The same, or null if another type may matter too, as to the guard of an eventless transition. */
  readonly eventTypes: ReadonlySet<string> | null;
}

/** Walks all transitions of a chart. */
function eventsOf(machine: AnyStateMachine): ChartEvents {
  const known = new Set<string>();
  let wild = false;
  let eventless = false;
  const nodes: AnyStateNode[] = [machine.root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.always !== undefined && node.always.length > 0) eventless = true;
    for (const type of node.transitions.keys()) {
      if (type === '*' || type.endsWith('.*')) wild = true;
      known.add(type);
    }
    nodes.push(...(Object.values(node.states) as AnyStateNode[]));
  }
  const named = wild ? null : known;
  return { eventless, named, eventTypes: eventless ? null : named };
}
