import type { ActorEvent, Json } from '../actor/event.ts';
import type {
  CommittedStep,
  DeadLetterView,
  EngineGauges,
  Inspection,
  QuarantinedActor,
  Reloaded,
} from '../durable/engine/engine.ts';
import type { ActorCountRow, NodeRow, RowQuery, RowRecord } from '../ports/store.ts';

/** The cluster as one node offers it to whatever is built on it: the only thing the gateway and the kinds' clients see. */
export interface Cluster {
  readonly self: {
    readonly name: string;
    readonly incarnation: string;
    readonly birth: number;
    readonly address: string;
  };
  /** Sends and waits. Resolves with the reply's body; rejects with AskError. Waits through a takeover, up to `withinMs`. */
  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json>;
  /** Sends without an answer; best effort, at most once. */
  tell(to: string, event: ActorEvent): void;
  readonly rows: RowReader;
  readonly board: Board;
  /** True when the actor's shard is served by this node now. */
  owns(address: string): boolean;
  /** Store time in ms, as stamped on events. */
  now(): number;
  /** True once the board was exchanged and every shard has an owner. */
  readonly ready: boolean;
  /** Fresh contact with the store: false means reads and writes should be answered 503. */
  readonly connected: boolean;
  readonly operator: Operator;
  /** Gives every shard away (or keeps them if nobody is left), leaves the cluster, closes everything. */
  leave(): Promise<void>;
}

export interface AskOptions {
  readonly withinMs: number;
  /**
   * What to send when the owner was lost and the event may have happened: given by senders whose natural ids make a
   * repeat harmless. Absent: the ask is answered `lost`.
   */
  readonly repeat?: ((event: ActorEvent) => ActorEvent) | undefined;
  readonly trace?: string | undefined;
}

/** Lists and look-ups, straight from the store, bodies as stored (JSON text). */
export interface RowReader {
  row(address: string, collection: string, id: string): Promise<RowRecord | null>;
  rowById(collection: string, id: string): Promise<RowRecord | null>;
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
}

/** A small read model kept on every node. Values carry epoch and version; newer wins. Reading never asks. */
export interface Board {
  /** The current values of a topic. The same object until something in the topic changes: compare by identity. */
  topic(name: string): ReadonlyMap<string, Json>;
  /** Called after a topic changed; returns the way to stop. */
  onChange(name: string, changed: () => void): () => void;
}

/** What operators may see and do; served over operator.proto by `inspect/`. */
export interface Operator {
  ps(): Promise<ClusterView>;
  /** Null when absent. Goes to the owner. */
  inspect(address: string): Promise<Inspection | null>;
  /** Steps of this and every other live node whose address matches the pattern (`*` any run), until `stop`. */
  watch(pattern: string, see: (step: CommittedStep & { readonly node: string }) => void): () => void;
  /** Tries to load a quarantined actor again. Goes to the owner; rejects when it or the store was not reached. */
  reload(address: string): Promise<Reloaded>;
  /** Moves the named node's shards away and stops it after its open work. */
  drain(node: string): Promise<void>;
  /** Rows straight from the store, bodies as stored: lists that no single actor keeps, such as the keys of an account. */
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json>;
  /** Steps an input that was set aside once more, or drops it. False: there is none. Rejects with AskError. */
  retry(address: string, id: string): Promise<boolean>;
  skip(address: string, id: string): Promise<boolean>;
  /** Whoever saw a node's process end says how. Only the first word counts. */
  recordDeath(incarnation: string, cause: 'own-hand' | 'outside'): Promise<void>;
}

export interface ClusterView {
  readonly nodes: readonly (NodeRow & {
    readonly shards: number;
    readonly live: boolean;
    readonly gauges: EngineGauges | null;
  })[];
  readonly shardCount: number;
  readonly unowned: number;
  readonly census: readonly ActorCountRow[];
  /** Actors that do not load, as far as the nodes have met them; at most a hundred of each node. */
  readonly quarantined: readonly (QuarantinedActor & { readonly node: string })[];
  /** The newest inputs that were set aside, at most a hundred. */
  readonly aside: readonly DeadLetterView[];
}
