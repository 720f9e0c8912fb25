/** How work in the world is done for actors. The runtime knows none of it: whoever makes a node supplies performers. */
export interface ActivityHandler {
  /**
   * Does the work and resolves with its result (plain JSON). Rejects with `ActivityFailed`; anything else that is thrown
   * counts as a failure worth repeating. May be begun again after a death: what it calls has to be given `job.key`.
   * `signal` is aborted when the work is cancelled, superseded or late; its result interests nobody then.
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
  /** The same for all attempts, and for no other work: for the outside to recognise a repeat. */
  readonly key: string;
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

/** The work failed, and its performer knows how. */
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
