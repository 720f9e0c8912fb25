import type { ChartView } from '../actor/charts/chart-view.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import type { ShownAgain, ShownStep } from '../actor/history/redacted.ts';
import type {
  CommittedStep,
  DeadLetterView,
  EngineGauges,
  Inspection,
  QuarantinedActor,
  Reloaded,
} from '../durable/engine.ts';
import type {
  ActorCountRow,
  ActorEntry,
  ActorPlace,
  ActorQuery,
  ClusterEvent,
  NodeRow,
  RowQuery,
  RowRecord,
  ShardRow,
  Store,
} from '../ports/store.ts';

/** The cluster as one node offers it: the only interface that the gateway and the kinds' clients use. */
export interface Cluster {
  readonly self: {
    readonly name: string;
    readonly incarnation: string;
    readonly birth: number;
    readonly address: string;
  };
  /** Resolves with the reply's body; rejects with AskError. Waits through a takeover, up to `withinMs`. */
  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json>;
  /** Sends without an answer: best effort, at most once. */
  tell(to: string, event: ActorEvent): void;
  readonly rows: RowReader;
  readonly board: Board;
  readonly changes: Changes;
  /** True if this node serves the actor's shard now. */
  owns(address: string): boolean;
  /** Store time in ms, as stamped on events. */
  now(): number;
  /** True once the board was exchanged and every shard has an owner. */
  readonly ready: boolean;
  /** True with fresh contact to the store. If false, answer reads and writes with 503. */
  readonly connected: boolean;
  readonly operator: Operator;
  /** Hands every shard over (or keeps them if no other node is left), leaves the cluster and closes everything. */
  leave(): Promise<void>;
}

/** What `startNode` returns: the cluster, the start of its activities, and the steps of an orderly leave. */
export interface ClusterNode extends Cluster {
  /**
   * True while the store does not answer. If neither this nor `connected` is true, this node's own event loop stalled
   * for longer than the read lease: the next heartbeat is about to be answered.
   */
  readonly isolated: boolean;
  /** Activity handlers may run: activities begin as soon as the node is ready, and never while it drains. */
  serve(): void;
  /**
   * Hands every shard to the nodes that stay. Asks still work, for open requests that need the cluster. Resolves when
   * no shard is left here, or when no node can take one.
   */
  drain(): Promise<void>;
  /**
   * The second half of a drain: resolves when the running activities have ended and reported to their owners, at the
   * latest when their graces are over. The remaining ones are aborted then, and start again on other nodes.
   */
  finishActivities(): Promise<void>;
}

export interface AskOptions {
  readonly withinMs: number;
  /**
   * Returns the event to send after the owner was lost and the event may have been stepped. Supplied by senders whose
   * natural ids make a repeat harmless. Absent: the ask is answered `lost`.
   */
  readonly repeat?: ((event: ActorEvent) => ActorEvent) | undefined;
  readonly trace?: string | undefined;
}

/** Lists and look-ups, read directly from the store; bodies are JSON text as stored. */
export interface RowReader {
  row(address: string, collection: string, id: string): Promise<RowRecord | null>;
  rowById(collection: string, id: string): Promise<RowRecord | null>;
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
}

/** Notices of committed steps: hints to read the present state, from every node. */
export interface Changes {
  /**
   * Calls `see` after actors of the owner have committed: with an address, or with null when any of its actors may have
   * changed (a link was lost, or too much changed at once). Notices are gathered, and follow the commit within some 20
   * ms. Throws if the node watches too many owners. Returns the function that ends it.
   */
  watch(owner: string, see: (address: string | null) => void): () => void;
}

/**
 * A small read model that every node keeps. Values carry epoch and version; the newer one wins. Reads are local. A
 * topic's values are published by actors, with a step, or by nodes, with `publish`.
 */
export interface Board {
  /** The current values of a topic: the same object until the topic changes, so compare by identity. */
  topic(name: string): ReadonlyMap<string, Json>;
  /** Registers a listener for changes of a topic; returns the function that removes it. */
  onChange(name: string, changed: () => void): () => void;
  /** One value of a topic; null without one. */
  read(topic: string, key: string): Json;
  /**
   * Publishes a value of this node to all nodes: best effort, without an actor, a commit or an owner. The newest value
   * of a key wins, and a topic keeps the newest 50,000 keys. The value outlives this node on the others.
   */
  publish(topic: string, key: string, value: Json): void;
}

/** What operators can see and do. */
export interface Operator {
  ps(): Promise<ClusterView>;
  /** Asks the owner; null if the actor is absent. */
  inspect(address: string): Promise<Inspection | null>;
  /** Committed steps of all live nodes whose address matches the pattern (`*` any run), until `stop`. */
  watch(pattern: string, see: (step: CommittedStep) => void): () => void;
  /** The nodes as this node knows them, without a call; an ended one until another of its name starts. */
  members(): readonly MemberView[];
  /**
   * Calls `see` when `members` or `shards` may answer otherwise, at most once in some 20 ms, until the returned function
   * is called. Throws at the bound of watchers.
   */
  watchMembers(see: () => void): () => void;
  /** Asks the owner to load a quarantined actor again; rejects if the owner or the store is unreachable. */
  reload(address: string): Promise<Reloaded>;
  /** Who owns each shard, as far as this node knows. */
  shards(): readonly ShardRow[];
  /** Moves the named node's shards away and stops it after its open work. */
  drain(node: string): Promise<void>;
  /**
   * Rows read directly from the store, bodies as stored: lists that no single actor keeps, e.g. the keys of an account.
   */
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
  /** One row of any actor by its id; null without one. */
  rowById(collection: string, id: string): Promise<RowRecord | null>;
  /** A page of stored actors, read directly from the store: no actor is loaded. RangeError for an unknown node. */
  actors(query: ActorsQuery): Promise<ActorsPage>;
  /** What happened to the nodes and their shards, newest first, from below the number `after`. */
  events(query: { readonly after?: number; readonly limit: number }): Promise<readonly ClusterEvent[]>;
  /** Kept numbers of stored actors by kind, chart version and state. */
  counts(): Promise<readonly ActorCountRow[]>;
  /** The chart of every kind that this node runs, as plain data. */
  charts(): readonly ChartView[];
  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json>;
  /** Steps a dead letter again, or drops it. False if there is none with this id. Rejects with AskError. */
  retry(address: string, id: string): Promise<boolean>;
  skip(address: string, id: string): Promise<boolean>;
  readonly history: ActorHistory;
  /**
   * Asks the hosts of all living nodes, or of one: what `NodeParts.hostCalls` has under this name. An answer is null
   * from a node that did not answer within a second, or does not know the name.
   */
  askHosts(name: string, input: Json, node?: string): Promise<readonly HostAnswer[]>;
  /** Records how a node's process ended, as its launcher saw it. Only the first record counts. */
  recordDeath(incarnation: string, cause: 'crashed' | 'killed'): Promise<void>;
  /** Notes how often a launcher started a node again; any node shows it, while this one lives. */
  noteRestarts(restarts: NodeRestarts): void;
}

/** The recorded steps of actors, redacted by their kinds; read from the store, without loading an actor. */
export interface ActorHistory {
  /** Newest first: recorded steps below the version `before`, and the last 50 in any case. */
  list(address: string, page: { readonly before?: number; readonly limit: number }): Promise<readonly StepEntry[]>;
  /** Null: it is not recorded, or its states can no longer be rebuilt. */
  read(address: string, version: number): Promise<ShownStep | null>;
  /** Takes it again with this build, or another event in its place; nothing is stored or sent. */
  again(address: string, version: number, event?: ActorEvent): Promise<ShownAgain | null>;
  /**
   * Records every step of an actor until this store time, ms, at most for a day; a past time ends a recording. False if
   * the actor is absent. Rejects with AskError.
   */
  record(address: string, until: number): Promise<boolean>;
}

export interface StepEntry extends Omit<CommittedStep, 'address'> {
  /** False: only its states before and after are known, by name. */
  readonly recorded: boolean;
}

/** What the host of a node answers to an operator. */
export type HostCall = (input: Json) => Json | Promise<Json>;

export interface HostAnswer {
  /** The node's name. */
  readonly node: string;
  readonly answer: Json;
}

/** `node`: only actors of the shards that the node of this name owns. */
export type ActorsQuery = Unsharded<ActorQuery> & { readonly node?: string };

type Unsharded<Query> = Query extends unknown ? Omit<Query, 'shards'> : never;

export interface ActorsPage {
  readonly actors: readonly (ActorEntry & {
    /** Name of the node that owns its shard; null without one. */
    readonly node: string | null;
  })[];
  readonly next: ActorPlace | null;
}

/** How often a launcher started a node again after a death, and how the node last ended. */
export interface NodeRestarts {
  readonly name: string;
  /** Since the start of the launcher. */
  readonly total: number;
  /** Wall-clock ms of the newest deaths, at most 100, oldest first. */
  readonly times: readonly number[];
  /** A planned end too; null before the first. */
  readonly lastEnd: NodeLifeEnd | null;
}

interface NodeLifeEnd {
  readonly reason: string;
  /** Wall-clock ms; null where only its peers saw it. */
  readonly at: number | null;
}

export interface MemberView extends NodeRow {
  readonly shards: number;
  /** In the live set: it beats, and every other member reaches it. */
  readonly live: boolean;
}

export interface ClusterView {
  readonly nodes: readonly (MemberView & {
    readonly gauges: EngineGauges | null;
    /** Wall-clock ms of the start of the process's node; null if it does not answer. */
    readonly startedAt: number | null;
    /** Resident memory of its process; null if it does not answer. */
    readonly memoryBytes: number | null;
    /** After deaths; null where no launcher starts it again. */
    readonly restarts: { readonly total: number; readonly lastHour: number } | null;
    /** Of its life before this one, or of this one; null if none is known. */
    readonly lastEnd: NodeLifeEnd | null;
  })[];
  readonly shardCount: number;
  readonly unowned: number;
  readonly actorCounts: readonly ActorCountRow[];
  /** Quarantined actors known to the nodes; at most a hundred per node. */
  readonly quarantined: readonly (QuarantinedActor & { readonly node: string })[];
  /** The newest dead letters, at most a hundred. */
  readonly deadLetters: readonly DeadLetterView[];
  /** The store is out of reach of the asked node: actors are then counted from memory, and no dead letter is shown. */
  readonly outage: StoreOutage | null;
}

export interface StoreOutage {
  /** Wall-clock ms of the last contact. */
  readonly since: number;
  readonly why: string;
}

/** Lists and look-ups, read directly from the store. */
export function rowReader(store: Store): RowReader {
  return {
    row: (address, collection, id) => store.row({ address, collection, id }),
    rowById: (collection, id) => store.rowById(collection, id),
    rows: (query) => store.rows(query),
  };
}
