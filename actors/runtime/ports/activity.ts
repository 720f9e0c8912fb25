/**
 * Runs the attempts of one activity. The runtime defines no activity: the code that starts a node supplies the
 * handlers.
 */
export interface ActivityHandler {
  /** Attempts that run at once on one node. The others wait in a queue. */
  readonly runningMax: number;
  /** Attempts of one group that run at once on one node; at most `runningMax`. */
  readonly runningPerGroupMax: number;
  /**
   * The group of an attempt, such as the host of a webhook. Absent: the owner of the address, which is the account.
   * Waiting groups take turns; each group is served first come, first served.
   */
  readonly groupOf?: (address: string, input: ActivityJson) => string;
  /** Absent: a drain waits for every attempt for the grace of its node. */
  readonly patience?: Patience;
  /**
   * Runs one attempt and resolves with its result (plain JSON). Rejects with `ActivityFailed`; any other error counts
   * as a retriable failure. The runtime does not repeat failed attempts: the chart receives `<name>.failed` and
   * decides. After the death of a runner another attempt follows, so pass `job.key` to every external call that must
   * happen once. `signal` aborts when the activity is cancelled, superseded or late; its result is then dropped.
   */
  run(job: ActivityTask, signal: AbortSignal): Promise<ActivityJson>;
}

/** Attempts that no other node can continue, such as a call whose answer is the work: a drain waits longer for them. */
interface Patience {
  /** From the beginning of the drain. */
  readonly graceMs: number;
  /** Asked of running attempts. */
  readonly applies: (address: string, id: string) => boolean;
}

/** What a drain waits for beyond the grace of its node. */
export interface Waits {
  /** Of the actors. */
  readonly addresses: readonly string[];
  /** At most. */
  readonly leftMs: number;
}

/** One attempt of one activity. */
export interface ActivityTask {
  /** The actor that requested the activity, and its id for it. */
  readonly address: string;
  readonly id: string;
  readonly name: string;
  readonly input: ActivityJson;
  /**
   * The idempotency key: the same for all attempts, including those a chart requests with `repeats`; unique otherwise.
   */
  readonly key: string;
  /** 1, 2, 3 ...: raised for every attempt after one that had begun. */
  readonly attempt: number;
  /** Store time, ms. */
  readonly deadlineAt: number;
}

/** Plain JSON data. */
type ActivityJson =
  | null
  | boolean
  | number
  | string
  | readonly ActivityJson[]
  | { readonly [key: string]: ActivityJson | undefined };

/** A failure of the activity with the handler's own code. */
export class ActivityFailed extends Error {
  override readonly name = 'ActivityFailed';
  readonly code: string;
  readonly retriable: boolean;
  constructor(code: string, message: string, retriable: boolean) {
    super(message);
    this.code = code;
    this.retriable = retriable;
  }
}
