/**
 * The durable store of the runtime. One commit is one transaction, judged per shard: a shard whose fence or version
 * does not match is refused whole and never undoes another shard's writes. The store has no actor logic and no
 * marketplace logic.
 */

/** One stored actor. `snapshot` and `transitions` are JSON text. */
export interface ActorRecord {
  readonly address: string;
  readonly kind: string;
  /** 16-bit hash of the owner; `shard` is the hash modulo the shard count. Stored so that the count can be raised. */
  readonly hash: number;
  readonly shard: number;
  /** 1 for the first commit, +1 per step. */
  readonly version: number;
  /** Chart version that wrote the snapshot. */
  readonly chart: number;
  readonly snapshot: string;
  /** The transition log: the last transitions, newest last. */
  readonly transitions: string;
}

/**
 * One row of a collection. It belongs to an actor and is written only in that actor's commits. Its texts contain no NUL
 * character. Names of the runtime's own collections begin with `$`.
 */
export interface RowRecord {
  readonly address: string;
  readonly collection: string;
  readonly id: string;
  /** Order inside the collection, ascending; ties by id. */
  readonly sort: number;
  /** Up to four look-up columns; null is not indexed. */
  readonly index: readonly (string | null)[];
  /** Open rows are loaded with their actor and stay resident beside it. */
  readonly open: boolean;
  readonly body: string;
  /** Store time in ms after which the sweep may remove it; null keeps it. */
  readonly expiresAt: number | null;
}

export interface TimerRecord {
  readonly address: string;
  readonly name: string;
  /** Absolute store time, ms. */
  readonly dueAt: number;
  readonly event: string;
}

export interface ActorWrite {
  readonly record: ActorRecord;
  /** Version that must be stored at the commit; 0 = the actor must not exist. */
  readonly expected: number;
}

export interface RowKey {
  readonly address: string;
  readonly collection: string;
  readonly id: string;
}

export interface RowTrim {
  readonly address: string;
  readonly collection: string;
  readonly rowsMax: number;
}

interface TimerKey {
  readonly address: string;
  readonly name: string;
}

/**
 * Everything one commit writes in one shard. The caller has already folded several writes of one key into the last one.
 */
export interface ShardWrite {
  readonly shard: number;
  /** Fence: the shard's owner and epoch must be these at the moment of the commit. */
  readonly owner: string;
  readonly epoch: number;
  readonly actors: readonly ActorWrite[];
  /** Actors that stopped: the actor's row and its timers are removed; its collections stay. */
  readonly stopped: readonly { readonly address: string; readonly expected: number }[];
  readonly rowsPut: readonly RowRecord[];
  readonly rowsRemoved: readonly RowKey[];
  /** Keeps the last `rowsMax` rows of a collection by sort and id; before `rowsPut` is written. */
  readonly rowsTrimmed: readonly RowTrim[];
  readonly timersSet: readonly TimerRecord[];
  readonly timersCancelled: readonly TimerKey[];
}

export type ShardVerdict =
  | { readonly shard: number; readonly committed: true }
  | { readonly shard: number; readonly committed: false; readonly reason: 'fence' | 'version' };

/** The commit may or may not have happened: the caller drops the shards and claims them again. */
export class StoreOutcomeUnknown extends Error {
  override readonly name = 'StoreOutcomeUnknown';
}

/** The commit certainly did not happen: disk full, read-only, store busy beyond its bound. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly reason: 'full' | 'busy' | 'unreachable';
  constructor(reason: 'full' | 'busy' | 'unreachable', message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ActorCountRow {
  readonly kind: string;
  readonly state: string;
  readonly chart: number;
  readonly count: number;
}

/** A stored actor as lists show it, without its state. */
export interface ActorEntry {
  readonly address: string;
  readonly kind: string;
  readonly shard: number;
  readonly version: number;
  readonly chart: number;
  /** As `stateText` writes it. */
  readonly state: string;
  /** Store time at which it entered this state, ms. */
  readonly since: number;
}

/** A place in a list of actors. The order by address ignores `since`. */
export interface ActorPlace {
  readonly since: number;
  readonly address: string;
}

interface ActorFilter {
  readonly kind?: string;
  /** The owner part of the address. */
  readonly owner?: string;
  /** Only actors of these shards. */
  readonly shards?: readonly number[];
  /** Exclusive cursor. */
  readonly after?: ActorPlace;
  /** 1 to 1000. */
  readonly limit: number;
}

/**
 * Lists by state are ordered by time: no index has the addresses of one state in order. `state` may name a state at any
 * depth (`isInState`). `address` is a look-up of that one actor, without other filters.
 */
export type ActorQuery =
  | (ActorFilter & { readonly order: 'address'; readonly address?: string })
  | (ActorFilter & { readonly order: 'since'; readonly state?: string; readonly newestFirst?: boolean });

/** At most `limit` actors. It may be shorter, or empty, and still not be the last page: that has no `next`. */
export interface ActorPage {
  readonly actors: readonly ActorEntry[];
  readonly next: ActorPlace | null;
}

/** A shard and the epoch of its move. */
export type ShardMove = readonly [shard: number, epoch: number];

/** A change of the cluster's nodes or of their shards. */
export interface ClusterEvent {
  /** Ascending in the order of the changes; not every number exists. */
  readonly n: number;
  /** Store time, ms; of a claim or a hand-over that of its last shard. */
  readonly at: number;
  /** Of a claim or a hand-over that of its first shard; else `at`. */
  readonly beganAt: number;
  readonly type: 'joined' | 'left' | 'died' | 'claimed' | 'handed_over';
  /** Name of the node that the event happened to; of a claim or a hand-over the new owner. */
  readonly node: string;
  readonly incarnation: string;
  /** Of a claim or a hand-over: the shards in the order of their moves. */
  readonly moves: readonly ShardMove[] | null;
  /** The name of the node that had them; null if no node had. */
  readonly from: string | null;
  readonly fromIncarnation: string | null;
  /** Of a claim: the time from the end of the node that had them to the last of these claims; null where unknown. */
  readonly tookMs: number | null;
  /** Of a death. */
  readonly why: string | null;
  /** Of a death: its last heartbeat, and when the node that voted it out began to suspect it; null where unknown. */
  readonly lastBeatAt: number | null;
  readonly suspectedAt: number | null;
}

/** Cluster events that a store keeps, the newest. */
export const CLUSTER_EVENTS_MAX = 10_000;
/**
 * Shards that move between the same two nodes within this time of the first one are one event, which grows meanwhile: a
 * drain hands its shards over one by one.
 */
export const ONE_MOVE_MS = 10_000;
/** Among how many of the newest events a move looks for the one that it belongs to. */
export const EVENTS_LOOKED_AT = 64;

/** Dead and departed nodes that a store keeps and lists: those of the latest births. */
export const ENDED_NODES_MAX = 64;

/** The setting with the cause of a death. A store forgets it together with the incarnation. */
export function deathSetting(incarnation: string): string {
  return `${DEATH_PREFIX}${incarnation}`;
}
export const DEATH_PREFIX = 'death ';

/** A stored state value with the number of its actors. */
export interface StoredState {
  readonly kind: string;
  readonly chart: number;
  /** JSON text of the value; null where the snapshot is not JSON or has no value. */
  readonly value: string | null;
  readonly count: number;
  /** The first of these actors by address. */
  readonly example: string;
}

/** A node of the cluster as its heartbeat row shows it. */
export interface NodeRow {
  readonly name: string;
  /**
   * Unique for ever: one start of one process. The incarnation alone identifies it; `name@incarnation` is never used.
   */
  readonly incarnation: string;
  /** Order of births over the life of the store, 1, 2, 3 ... */
  readonly birth: number;
  /** gRPC address, host:port. */
  readonly address: string;
  readonly operatorUrl: string;
  readonly pid: number;
  readonly host: string;
  /**
   * Raised by each heartbeat. Other nodes judge freshness by the time since it last changed on their own monotonic
   * clock.
   */
  readonly beat: number;
  /** Store time of its newest heartbeat, ms; null before the first. Only shown: it judges nobody. */
  readonly beatAt: number | null;
  /** Incarnations from which this node received a ping within the last two seconds. */
  readonly reaches: readonly string[];
  /**
   * `joining` from the registration until the node has been inside the live set for the first time. Only a node that is
   * `up` is given shards.
   */
  readonly state: 'joining' | 'up' | 'draining' | 'left' | 'dead';
  /** Reason of the state dead or left; null otherwise. */
  readonly why: string | null;
}

export interface ShardRow {
  readonly shard: number;
  /** Incarnation of the owner; null before the first claim. */
  readonly owner: string | null;
  readonly epoch: number;
}

export interface Heartbeat {
  readonly incarnation: string;
  readonly reaches: readonly string[];
  readonly state: 'joining' | 'up' | 'draining';
}

/** The result of one heartbeat, read in the same transaction. */
export interface ClusterRows {
  /** Store time, ms. */
  readonly now: number;
  readonly nodes: readonly NodeRow[];
  /** Raised whenever any shard row changes; unchanged means `shards` may be skipped. */
  readonly shardsRevision: number;
}

export interface RowQuery {
  readonly collection: string;
  /** Only rows of this actor. */
  readonly address?: string;
  /** Look-up by an index column. */
  readonly where?: { readonly column: 0 | 1 | 2 | 3; readonly equals: string };
  /**
   * Rows whose look-up column begins with this text, ascending by that column, ties by sort and id. Of one collection,
   * without an order or other conditions; `after` then has the `value` of the column.
   */
  readonly startsWith?: { readonly column: 0 | 1 | 2 | 3; readonly text: string };
  readonly openOnly?: boolean;
  readonly order?: 'ascending' | 'descending';
  /** Exclusive cursor: continue after this row. */
  readonly after?: { readonly sort: number; readonly id: string; readonly value?: string };
  /** 1 to 1000. */
  readonly limit: number;
}

/** One of the look-up columns of one collection. */
export interface IndexColumn {
  readonly collection: string;
  readonly column: 0 | 1 | 2 | 3;
}

export interface Store {
  /**
   * Shards that are equal modulo this number form a part; commits of different parts run concurrently and
   * independently. Absent: 1, all shards form one part.
   */
  readonly parts?: number;
  /**
   * One transaction per part, judged per shard; commits of a part are applied in the order of the calls. Rejects with
   * StoreRefused (nothing happened) or StoreOutcomeUnknown.
   */
  commit(writes: readonly ShardWrite[]): Promise<readonly ShardVerdict[]>;

  /** The actor and its open rows, or null. */
  loadActor(address: string): Promise<{ readonly actor: ActorRecord; readonly openRows: readonly RowRecord[] } | null>;
  /**
   * Stored actors in the order of an index; a page costs the same whatever the number of actors. It looks at some
   * thousand index entries at most, so with `shards` a page may be short.
   */
  listActors(query: ActorQuery): Promise<ActorPage>;
  /**
   * Number of actors per kind, chart version and state (`stateText`), ascending: kept in the commits, not counted.
   */
  actorCounts(): Promise<readonly ActorCountRow[]>;
  /** Every distinct (kind, chart version, whole state value), ascending. Reads everything: for `preflight`. */
  states(): Promise<readonly StoredState[]>;

  row(key: RowKey): Promise<RowRecord | null>;
  /** Looks a row up by id alone, of any actor (digests, generation ids); the first by address. */
  rowById(collection: string, id: string): Promise<RowRecord | null>;
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
  /**
   * The subset of `values` that occurs in any of these columns, judged in one view of all rows. For sweeps, 1 to 1000
   * values.
   */
  referred(columns: readonly IndexColumn[], values: readonly string[]): Promise<readonly string[]>;
  /** Removes at most `limit` rows whose `expiresAt` has passed; returns how many. */
  sweepRows(now: number, limit: number): Promise<number>;
  /** At most `limit` rows whose `expiresAt` has passed, in its order. */
  expiredRows(now: number, limit: number): Promise<readonly RowRecord[]>;
  /** Removes these rows, but not one whose body has changed; returns how many. */
  removeRows(rows: readonly RowRecord[]): Promise<number>;

  /** Timers of these shards due at or before `until`, soonest first. */
  timersDue(shards: readonly number[], until: number, limit: number): Promise<readonly TimerRecord[]>;
  timersOf(address: string): Promise<readonly TimerRecord[]>;

  /**
   * Registers a new incarnation; marks every earlier `up` or `draining` incarnation of the same name as dead. Forgets
   * all ended incarnations but the newest `ENDED_NODES_MAX`, with the causes of their deaths.
   */
  register(
    node: Omit<NodeRow, 'birth' | 'beat' | 'beatAt' | 'reaches' | 'state' | 'why'>,
  ): Promise<{ readonly birth: number }>;
  /** Writes the heartbeat unless the node is dead or left; returns all nodes either way. */
  heartbeat(beat: Heartbeat): Promise<ClusterRows>;
  /**
   * Compare-and-set: marks the node dead only if it is up or draining and its beat is still `seenBeat`. `suspectedAt` is
   * for the event alone.
   */
  markDead(incarnation: string, seenBeat: number, why: string, suspectedAt?: number): Promise<boolean>;
  /** Marks the calling node as left, after its drain. */
  leave(incarnation: string): Promise<void>;
  shards(): Promise<readonly ShardRow[]>;
  /**
   * Claims shards. For each one, if owner and epoch still equal `from`, the claimer is up, and the owner is null, dead,
   * left or the claimer itself: owner = `owner`, epoch + 1. Returns the claimed rows.
   */
  claim(owner: string, from: readonly ShardRow[]): Promise<readonly ShardRow[]>;
  /** Planned hand-over by the owner itself: owner = `to`, epoch + 1, if the fence still matches and `to` is up. */
  give(from: ShardRow, to: string): Promise<ShardRow | null>;
  /**
   * Joins, ends, claims and hand-overs, each written in the transaction that makes the change; newest first, from below
   * the number `after`. 1 to 1000.
   */
  clusterEvents(query: { readonly after?: number; readonly limit: number }): Promise<readonly ClusterEvent[]>;

  /**
   * A small cluster-wide setting (shard count, wire major, config digest): written if absent; returns the stored value.
   */
  setting(name: string, valueIfAbsent: string): Promise<string>;
  close(): Promise<void>;
}
