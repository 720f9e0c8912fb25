/** What a run recorded about batches. Times are wall ms of the machine, on which all clients and providers run. */
export interface BatchEvidence {
  readonly submissions: readonly Submission[];
  readonly polls: readonly BatchPoll[];
  readonly cancels: readonly BatchCancel[];
  /** What each follower of `GET /events` received about batches, in order; absent where nobody followed. */
  readonly seen?: readonly { readonly account: string; readonly events: readonly BatchSeen[] }[];
  /** The ids that `GET /batches` lists for each account at the end. */
  readonly listed: readonly { readonly account: string; readonly id: string }[];
  /** Look-ups of ids that the account cannot read. */
  readonly strangers: readonly { readonly id: string; readonly status: number | null; readonly body: string }[];
  /** Keys that were disabled during the run. */
  readonly revoked: readonly { readonly key: string; readonly at: number }[];
  /** Batches whose sealing keys the run destroyed while they ran, and when. */
  readonly lostKeys: ReadonlyMap<string, number>;
  /** Time after which a batch's window closes, ms. */
  readonly windowMs: number;
  /**
   * How long a paused or cut-off process may go on with a run that was taken over or cancelled, where processes are
   * paused at any instruction. (rule V24)
   */
  readonly zombieMs?: number;
}

export interface Submission {
  readonly account: string;
  readonly key: string;
  /** Unique; begins every `custom_id` and nonce of the batch. */
  readonly name: string;
  readonly at: number;
  readonly endAt: number;
  /** Null: the outcome is unknown. */
  readonly status: number | null;
  readonly id: string | null;
  /** The members of a refusal with 429. */
  readonly queue: { readonly limit: number; readonly active: number } | null;
  readonly lines: readonly LineSent[];
  /** Its replies may exceed the results file. */
  readonly fills?: boolean;
}

export interface LineSent {
  /** Also the nonce of the request: `user`, and the id in the provider's log. */
  readonly customId: string;
  /** The error of the live route; null for a line that must get a reply. */
  readonly refused: { readonly type: string; readonly code: number } | null;
  /** Its reply has more than 1 MiB. */
  readonly huge?: boolean;
}

/** One answer of `GET /batches/{id}`. */
export interface BatchPoll {
  readonly id: string;
  readonly at: number;
  readonly endAt: number;
  readonly status: string;
  readonly counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly finalizedAt: number | null;
  /** Result lines as text; null while the batch runs and after the file ended. */
  readonly results: string | null;
}

/** One event of a batch, with the time of its arrival. */
export type BatchSeen = Pick<BatchPoll, 'id' | 'at' | 'status' | 'counts'>;

export interface BatchCancel {
  readonly id: string;
  readonly at: number;
  readonly endAt: number;
  /** Null: unknown. */
  readonly status: number | null;
  /** The status of the returned batch. */
  readonly batch: string | null;
}

export interface ResultLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly request_id: string; readonly body: unknown } | null;
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: number | null;
    readonly request_id: string | null;
  } | null;
}
