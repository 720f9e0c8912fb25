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

/** What the codes of the operating system mean, for a reader who does not know them. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'connection timed out',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  EADDRNOTAVAIL: 'no local port is free',
  EMFILE: 'too many open files',
  UND_ERR_SOCKET: 'connection closed',
};

/** The text of an error of the operating system or of the HTTP client, after its meaning. */
export function systemText(error: Error): string {
  // A host with several addresses: an error for each, and no text of its own.
  const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [error];
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const text = first?.message || code || error.name;
  const meaning = MEANINGS[code];
  return meaning === undefined ? text : `${meaning} (${text})`;
}
