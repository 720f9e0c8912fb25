/** How the work of one activity is done. The runtime knows none of it: whoever starts a node supplies the handlers. */
export interface ActivityHandler {
  /** Attempts that run at once on one node. The others wait for their turn. */
  readonly runningMax: number;
  /** Attempts of one group that run at once on one node; at most `runningMax`. */
  readonly runningPerGroupMax: number;
  /**
   * The group of an attempt, such as the host a webhook goes to. Absent: the owner of the address, which is the account.
   * Waiting groups take turns; within a group the first that came is the first that begins.
   */
  readonly groupOf?: (address: string, input: ActivityJson) => string;
  /**
   * Does the work and resolves with its result (plain JSON). Rejects with `ActivityFailed`; any other error counts as a
   * failure worth repeating. The runtime repeats no failed attempt: the chart receives `<name>.failed` and decides. A
   * later attempt follows the death of a runner, so pass `job.key` to every external call that must happen once.
   * `signal` is aborted when the work is cancelled, superseded or late; the result is dropped from then on.
   */
  run(job: ActivityTask, signal: AbortSignal): Promise<ActivityJson>;
}

/** One attempt of one piece of work. */
export interface ActivityTask {
  /** The actor that asked, and its name for the work. */
  readonly address: string;
  readonly id: string;
  readonly name: string;
  readonly input: ActivityJson;
  /** The idempotency key: the same for all attempts, also for those a chart asks for with `repeats`; unique otherwise. */
  readonly key: string;
  /** 1, 2, 3 ...: raised for every attempt that follows one that had begun. */
  readonly attempt: number;
  /** Store time, ms. */
  readonly deadlineAt: number;
}

/** Plain JSON data. */
export type ActivityJson =
  | null
  | boolean
  | number
  | string
  | readonly ActivityJson[]
  | { readonly [key: string]: ActivityJson | undefined };

/** The work failed, and its handler knows how. */
export class ActivityFailed extends Error {
  override readonly name = 'PerformFailed';
  readonly code: string;
  readonly retriable: boolean;
  constructor(code: string, message: string, retriable: boolean) {
    super(message);
    this.code = code;
    this.retriable = retriable;
  }
}
