import type { Dispatcher } from 'undici';
import { type Lease, WITHOUT_LEASE } from './lease.ts';

type Failure = 'unreachable' | 'tls' | 'timeout' | 'malformed' | 'blocked';

/** How a post ended: the answered status, or why there is none. `message` is for the log. */
export type PostOutcome = { readonly status: number } | { readonly failure: Failure; readonly message: string };

/** Code of the error of a look-up whose answer may not be called. */
export const BLOCKED = 'TARGET_BLOCKED';

/** OpenSSL's names of certificate errors, as Node reports them. */
const CERTIFICATE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|EPROTO$)/;

/**
 * One post and its answer. The status is the outcome; the body is read to its end or its bound and dropped, and what
 * happens to it after the status changes nothing. Settles exactly once.
 */
export class PublicExchange implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<PostOutcome>;
  readonly #answerBytesMax: number;
  readonly #lease: Lease;
  #settle: (outcome: PostOutcome) => void = () => {};
  #status = 0;
  #bytes = 0;

  constructor(answerBytesMax: number, lease: Lease) {
    this.#answerBytesMax = answerBytesMax;
    this.#lease = lease;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Ends it with the status that was answered, else with this failure. */
  end(failure: Failure, message: string): void {
    this.#settle(this.#status === 0 ? { failure, message } : { status: this.#status });
  }

  /** Called just before the post is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#lease.connected) return;
    this.end('timeout', WITHOUT_LEASE);
    controller.abort(new Error(WITHOUT_LEASE));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    // Interim answers are not the answer.
    if (status >= 200) this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#answerBytesMax) this.end('malformed', 'the answer is too large');
  }

  onResponseEnd(): void {
    this.end('malformed', 'the answer has no status');
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = String((error as NodeJS.ErrnoException).code ?? '');
    this.end(failureOf(error, code), `${code} ${error.message}`.trim());
  }
}

function failureOf(error: Error, code: string): Failure {
  if (code === BLOCKED) return 'blocked';
  if (CERTIFICATE.test(code)) return 'tls';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (error.name === 'HTTPParserError' || error.name === 'HeadersOverflowError') return 'malformed';
  return 'unreachable';
}
