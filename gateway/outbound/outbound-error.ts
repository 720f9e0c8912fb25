/** Why a call to another server did not come to its end. `arrived` below tells how far it had come. */
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
  /** The bytes came compressed although plain ones were asked for. */
  | 'encoded'
  /** Too many calls to this origin are under way. */
  | 'saturated'
  /** Called off by ourselves. */
  | 'aborted';

/** What a call rejects with. The message is for the log; nothing of it is shown to a caller. */
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
