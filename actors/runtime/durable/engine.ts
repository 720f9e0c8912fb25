import type { Answer } from '../actor/answer.ts';
import type { DeadLetterBody } from '../actor/cascade/dead-letter.ts';
import type { LaneName } from '../actor/cascade/mailbox.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import type { Waits } from '../ports/activity.ts';
import type { Log } from '../ports/log.ts';
import type { ActorCountRow } from '../ports/store.ts';
import type { ActivityAttempt } from './cluster-port.ts';

/**
 * The actor host of one node: cells, cascades, commit queue, output gate and timers of the shards it owns. Ownership is
 * decided by its caller, which adopts, releases and drops shards. One engine per node; it runs on one thread.
 */
export interface Engine {
  /** Starts serving a shard under this epoch: loads timers, activates resident kinds, checks lease rows. */
  adopt(shard: number, epoch: number): void;
  /**
   * Planned end: answers further events of the shard with `moved`, steps and commits the queued ones, writes volatile
   * state, and resolves when nothing of the shard is in memory. The node still holds the fence at that point.
   */
  release(shard: number): Promise<void>;
  /** Unplanned end: discards the shard's memory and answers waiting senders `moved` (`lost` for entries in flight). */
  drop(shard: number): void;
  /** Epoch under which this engine serves the shard, or null. */
  epochOf(shard: number): number | null;
  /** Actors of a shard in memory; 0 for one that is not served here. */
  loadedOf(shard: number): number;
  /**
   * Delivers one event. `answer` is called exactly once, after the commits it depends on; null for a tell. An event
   * past its deadline is dropped and answered `expired`; one for a shard not served here is answered `moved`.
   */
  deliver(delivery: Delivery, answer: ((answer: Answer) => void) | null): void;
  /** Notifies the actor of each open lease row of this incarnation, in shards served here, that the node is dead. */
  nodeDead(incarnation: string): void;
  /** Actors of shards served here that failed to load so far; at most a hundred. */
  quarantined(): readonly QuarantinedActor[];
  /** The actors of resident kinds in memory here, by state as of now: their newest states may not be stored yet. */
  residentStates(): readonly ActorCountRow[];
  /** Retries loading a quarantined actor. Rejects when the store does not respond. */
  reload(address: string): Promise<Reloaded>;
  /** State of one actor for operators. Loads the actor if needed; null when absent or not served here. */
  inspect(address: string): Promise<Inspection | null>;
  readonly gauges: EngineGauges;
  /** The activities that run on this node, including those of actors on other nodes. */
  readonly activities: RunningActivities;
  /** Releases every shard. */
  close(): Promise<void>;
}

export interface Finishing {
  /** The beginning of the drain, monotonic ms. */
  readonly since: number;
  readonly graceMs: number;
  /** Called every second once `graceMs` has passed. */
  readonly waits: (waits: Waits) => void;
}

export interface RunningActivities {
  /** The node serves: attempts may start. */
  serve(): void;
  /** The node drains: no attempt starts any more, and attempts not yet started are left to the next owner. */
  pause(): void;
  /** Attempts that run, are queued, or report their result. */
  readonly size: number;
  /** The subset of `attempts` that does not run here. */
  missing(attempts: readonly ActivityAttempt[]): readonly ActivityAttempt[];
  abort(attempts: readonly ActivityAttempt[]): void;
  /** The end of a drain: resolves when no attempt is left; drops each once its grace has passed. */
  finish(finishing: Finishing): Promise<void>;
  /** The node is dead or leaves: aborts every attempt and starts no further one. */
  abortAll(why: string): void;
}

/** An actor whose stored state fails to load, and the reason. */
export interface QuarantinedActor {
  readonly address: string;
  readonly fault: string;
}

/** The result of reloading an actor. */
export type Reloaded =
  | { readonly outcome: 'loaded' | 'absent' | 'was-not-quarantined' | 'not-served' }
  | { readonly outcome: 'quarantined'; readonly fault: string };

export interface Delivery {
  readonly to: string;
  readonly event: ActorEvent;
  /** Monotonic ms of this process after which the event is dropped. */
  readonly deadline: number;
  /** Trace id of the caller, for logs and watchers. */
  readonly trace?: string | undefined;
}

/** Callbacks from the engine to its node. */
export interface EngineHost {
  /** A fence or version failed, or an outcome is unknown. Memory is dropped already; the host decides ownership. */
  lost(shard: number, reason: 'fence' | 'version' | 'unknown'): void;
  /** Publishes a value whose commit is durable. */
  published(value: Publication): void;
  /** The store judged a batch of entries, so long after the batch was handed to it. */
  committed?: ((tookMs: number) => void) | undefined;
  /** A row that its collection declares as `reported` is durable. Must not throw. */
  reported?: ((row: ReportedRow) => void) | undefined;
  /** Receives the steps of watched actors. */
  watchers?: StepReceiver | undefined;
  /** An event with a trace id arrived; the returned function is called at its answer. */
  traced?: ((trace: string, event: string) => () => void) | undefined;
  /** True for an incarnation known to be dead or gone: its lease rows are orphaned. */
  isGone(incarnation: string): boolean;
  /** Writes a record of the node's log. */
  readonly log: Log;
}

/** A row of this node's actors, once its commit is durable. */
export interface ReportedRow {
  readonly collection: string;
  readonly id: string;
  readonly body: Json;
}

export interface Publication {
  readonly topic: string;
  readonly key: string;
  /** null removes the key. */
  readonly value: Json;
  /** Address of the actor, or incarnation of the node, that published the value. */
  readonly address: string;
  /** Of an actor: epoch of its shard and version. Of a node: store time in ms, and a sequence number of the node. */
  readonly epoch: number;
  readonly version: number;
}

/** Receives steps: each once it is durable, and volatile ones that change their actor's state. */
export interface StepReceiver {
  isWatched(address: string): boolean;
  committed(step: CommittedStep): void;
}

export interface CommittedStep {
  readonly address: string;
  readonly version: number;
  /** Store time, ms. */
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  /** Of the shard, and the name of the node that served it. */
  readonly epoch: number;
  readonly node: string;
}

/** A dead letter, as shown to operators. */
export interface DeadLetterView {
  readonly address: string;
  readonly id: string;
  readonly source: DeadLetterBody['source'];
  readonly from: string | null;
  readonly event: string;
  readonly failure: string;
  readonly times: number;
  /** Store time, ms. */
  readonly at: number;
}

export interface Inspection {
  readonly address: string;
  readonly kind: string;
  /** Name of the node that owns the shard. */
  readonly node: string;
  /** Of that node. */
  readonly incarnation: string;
  readonly shard: number;
  readonly epoch: number;
  readonly version: number;
  /** Highest version known to be durable. */
  readonly durableVersion: number;
  readonly chart: number;
  readonly state: string;
  /** Redacted by the kind. */
  readonly context: Json;
  readonly openRows: Readonly<Record<string, number>>;
  /** The first of its open rows by collection; texts that the kind redacts are hidden. */
  readonly rows: Readonly<Record<string, readonly ShownRow[]>>;
  /** Outbox messages that wait for delivery to another shard. */
  readonly outbox: readonly {
    readonly to: string;
    readonly number: string;
    readonly event: string;
    readonly tries: number;
  }[];
  /** Open activity records. */
  readonly activities: readonly {
    readonly id: string;
    readonly name: string;
    readonly attempt: number;
    readonly runner: string;
    /** Name of that node; null if it is not known any more. */
    readonly runnerNode: string | null;
    /** False while the attempt is queued. */
    readonly begun: boolean;
    readonly deadlineAt: number;
    readonly suspect: boolean;
    /** Why the previous attempt ended; null for the first. */
    readonly lastFailure: string | null;
  }[];
  /** Dead letters, for `retry` or `skip`. */
  readonly deadLetters: readonly DeadLetterView[];
  readonly queue: { readonly system: number; readonly finish: number; readonly start: number };
  /** The messages that are stepped next, at most 20, in this order. */
  readonly waiting: readonly WaitingMessage[];
  readonly timers: readonly { readonly name: string; readonly dueAt: number; readonly event: string }[];
  /** Every step is recorded until this store time, ms, on request; null for no such request. */
  readonly recording: { readonly until: number } | null;
  /** Newest last, at most `transitionsMax`. */
  readonly transitions: readonly CommittedStep[];
  readonly explanation: readonly string[];
}

/** A type and not an interface, so that it is assignable to Json. */
export type ShownRow = { readonly id: string; readonly body: Json };

export interface WaitingMessage {
  readonly lane: LaneName;
  /** Its type. */
  readonly event: string;
  /** Store time of its arrival at this node, ms. */
  readonly since: number;
  /** Its other members; of texts, only addresses are shown. */
  readonly body: Json;
}

export interface EngineGauges {
  readonly cells: number;
  /** Quarantined actors. */
  readonly quarantined: number;
  /** Actors evicted so far. */
  readonly evicted: number;
  readonly queued: number;
  readonly commitsInFlight: number;
  readonly steps: number;
  /** Events so far without a transition in their actor's chart. */
  readonly unhandled: number;
  /** Dead letters so far, including undeliverable outbox messages. */
  readonly deadLetters: number;
  readonly commits: number;
  readonly entries: number;
  /** Entries that are not durable yet, and for how long the oldest batch of them has been at the store, ms. */
  readonly entriesWaiting: number;
  readonly commitLagMs: number;
  /** Attempts of activities that run, wait or report their result here. */
  readonly activities: number;
}
