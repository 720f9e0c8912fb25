import type { Answer } from '../../actor/answer.ts';
import type { DeadLetterBody } from '../../actor/dead-letter.ts';
import type { ActorEvent, Json } from '../../actor/event.ts';
import type { ActivityAttempt } from '../outgoing/cluster-port.ts';

/**
 * The actor host of one node: cells, cascades, commit queue, gate and timers of the shards it owns. It decides nothing
 * about ownership: it is told to adopt, seal or drop. One engine per node; everything in it runs on one thread.
 */
export interface Engine {
  /** Starts serving a shard under this epoch: timers are loaded, resident kinds activated, tenancies checked. */
  adopt(shard: number, epoch: number): void;
  /**
   * Planned end: takes no further event of the shard (they are answered `moved`), lets what is queued be stepped and
   * committed, writes volatile state, and resolves when nothing of the shard is in memory. The fence is still ours then.
   */
  seal(shard: number): Promise<void>;
  /** Unplanned end: memory of the shard is discarded, waiting senders are answered `moved` (committed ones: `lost`). */
  drop(shard: number): void;
  /** Epoch under which the shard is served here, or null. */
  epochOf(shard: number): number | null;
  /**
   * One event. `answer` is called exactly once, after the commits it depends on; null for a tell. An event past its
   * deadline is dropped and answered `expired`; one for a shard not served here is answered `moved`.
   */
  deliver(delivery: Delivery, answer: ((answer: Answer) => void) | null): void;
  /** Tells every open tenant row of this incarnation, in shards served here, that its node is dead. */
  nodeDead(incarnation: string): void;
  /** Actors of shards served here that do not load, as far as anybody has met them; at most a hundred. */
  quarantined(): readonly QuarantinedActor[];
  /** Tries to load a quarantined actor again. Rejects when the store does not answer. */
  reload(address: string): Promise<Reloaded>;
  /** State of one actor as an operator sees it; loads it if it is not resident; null when absent or not served here. */
  inspect(address: string): Promise<Inspection | null>;
  /** Called for each committed step whose address matches; returns the way to stop. At most WATCHERS_MAX at once. */
  watch(matches: (address: string) => boolean, see: (step: CommittedStep) => void): () => void;
  readonly gauges: EngineGauges;
  /** The work in the world that runs on this node, whoever owns its actors. */
  readonly activities: RunningActivities;
  /** Seals every shard. */
  close(): Promise<void>;
}

export interface RunningActivities {
  /** This node serves: attempts begin from now on. */
  serve(): void;
  /** This node drains: nothing begins any more, and what has not begun is left to the next owner. */
  rest(): void;
  /** Attempts that run, wait for their turn, or tell how they ended. */
  readonly size: number;
  /** Which of these do not run here. */
  missing(attempts: readonly ActivityAttempt[]): readonly ActivityAttempt[];
  abort(attempts: readonly ActivityAttempt[]): void;
  /** Resolves when no attempt is left, or the time is up. */
  idle(withinMs: number): Promise<void>;
  /** This node is dead or leaves: everything is aborted, nothing is begun. */
  abortAll(why: string): void;
}

/** An actor whose stored state does not load, and why. */
export interface QuarantinedActor {
  readonly address: string;
  readonly fault: string;
}

/** What came of loading an actor again. */
export type Reloaded =
  | { readonly outcome: 'loaded' | 'absent' | 'was-not-quarantined' | 'not-served' }
  | { readonly outcome: 'quarantined'; readonly fault: string };

export interface Delivery {
  readonly to: string;
  readonly event: ActorEvent;
  /** Monotonic ms of this process after which the event is not worth stepping. */
  readonly deadline: number;
  /** Trace id of the caller, carried into logs and watch. */
  readonly trace?: string | undefined;
}

/** What the engine tells the node it lives in. */
export interface EngineHost {
  /** The fence or a version did not hold, or an outcome is unknown: memory is dropped already; decide who owns it. */
  lost(shard: number, reason: 'fence' | 'version' | 'unknown'): void;
  /** A published value whose commit is durable. */
  published(value: Publication): void;
  /** True for an incarnation known to be dead or gone: its tenant rows are orphans. */
  isGone(incarnation: string): boolean;
  /** First committed step after an adoption, for the takeover figure: ms since adopt. */
  log(record: {
    readonly level: 'info' | 'warn' | 'error';
    readonly message: string;
    readonly [key: string]: unknown;
  }): void;
}

export interface Publication {
  readonly topic: string;
  readonly key: string;
  /** null removes the key. */
  readonly value: Json;
  readonly address: string;
  readonly epoch: number;
  readonly version: number;
}

export interface CommittedStep {
  readonly address: string;
  readonly version: number;
  /** Store time, ms. */
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
}

/** An input that was set aside, as an operator sees it. */
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
  readonly shard: number;
  readonly epoch: number;
  readonly version: number;
  /** Highest version known durable. */
  readonly durableVersion: number;
  readonly chart: number;
  readonly state: string;
  /** Redacted by the kind. */
  readonly context: Json;
  readonly openRows: Readonly<Record<string, number>>;
  /** Messages that wait for a receiver in another shard. */
  readonly outbox: readonly {
    readonly to: string;
    readonly number: string;
    readonly event: string;
    readonly tries: number;
  }[];
  /** Work in the world that has not ended. */
  readonly intents: readonly {
    readonly id: string;
    readonly name: string;
    readonly attempt: number;
    readonly runner: string;
    /** False while it waits for its turn. */
    readonly begun: boolean;
    readonly deadlineAt: number;
    readonly suspect: boolean;
    /** Why the attempt before this one ended; null for the first. */
    readonly lastFailure: string | null;
  }[];
  /** Inputs that failed for good: for `retry` or `skip`. */
  readonly aside: readonly DeadLetterView[];
  readonly queue: { readonly system: number; readonly finish: number; readonly start: number };
  readonly timers: readonly { readonly name: string; readonly dueAt: number; readonly event: string }[];
  /** Newest last, at most 50. */
  readonly trail: readonly CommittedStep[];
  readonly explanation: readonly string[];
}

export interface EngineGauges {
  readonly cells: number;
  /** Actors that do not load. */
  readonly quarantined: number;
  /** Actors that left memory for room, so far. */
  readonly evicted: number;
  readonly queued: number;
  readonly commitsInFlight: number;
  readonly steps: number;
  /** Events so far for which their actor's chart had no transition. */
  readonly unhandled: number;
  /** Inputs so far that were set aside, those of senders included. */
  readonly deadLetters: number;
  readonly commits: number;
  readonly entries: number;
}
