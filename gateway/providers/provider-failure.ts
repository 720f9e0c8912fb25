/** How an attempt failed, in the words that routing and blame need. */
export type FailureCause =
  /** No connection, cut, 5xx, an error in place of an answer. */
  | 'unavailable'
  /** 429, 503 or 529: it says that it is full. */
  | 'overloaded'
  /** A time-out of connection, first byte, progress or the whole. */
  | 'timeout'
  /** It refuses this request as wrong; another endpoint may not. Not held against it. */
  | 'rejected'
  /** It refuses the operator's key or does not know its own model. */
  | 'misconfigured'
  /** What it sent is no answer: broken JSON, wrong type, an endless line, no finish reason. */
  | 'garbage'
  /** Prose where a tool call was demanded. */
  | 'contract'
  /** Our own side called it off. Not held against it. */
  | 'aborted';

/** What an attempt rejects with. `message` is for the log only, and never in the provider's own words: they may hold a key. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly reason: FailureCause;
  /** Upstream HTTP status; null when none arrived. */
  readonly status: number | null;

  constructor(reason: FailureCause, message: string, status: number | null = null) {
    super(message);
    this.reason = reason;
    this.status = status;
  }

  /** Worth one more call to the same endpoint. A time-out is not: it has used up the caller's patience already. */
  get repeatable(): boolean {
    return this.reason === 'unavailable' || this.reason === 'overloaded' || this.reason === 'garbage';
  }

  /** Counts against the endpoint's health. */
  get counted(): boolean {
    return this.reason !== 'rejected' && this.reason !== 'aborted';
  }
}
