/** Why a call to another server failed. */
export type OutboundFailure =
  /** No connection: refused, unresolvable, TLS. */
  | 'connect'
  | 'connect-timeout'
  | 'first-byte-timeout'
  | 'idle-timeout'
  | 'total-timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is larger than its bound, or its HTTP is broken. */
  | 'malformed'
  /** The bytes are compressed although the request asked for plain ones. */
  | 'encoded'
  /** Too many calls to this origin are open. */
  | 'saturated'
  /** Aborted by the gateway. */
  | 'aborted';

/** What a call rejects with. The message is for the log and is never sent to a caller. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string) {
    super(message);
    this.failure = failure;
  }

  get timedOut(): boolean {
    return this.failure.endsWith('-timeout');
  }
}
