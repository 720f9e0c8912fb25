import type { ErrorType } from '../../actors/terms/refusal.ts';
import type { FailedCall } from '../../actors/terms/refused-request.ts';

/**
 * A failure reported to the client. `message` and `metadata` are public; `detail` and `log` go to the log only, and
 * `failure` to the operator's list of refused requests.
 */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly status: number;
  readonly type: ErrorType;
  readonly detail: string | null;
  /** Members of the log line: model, provider, endpoint and reason, where there are any. */
  readonly log: Readonly<Record<string, string>>;
  readonly failure: FailedCall | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The cause in the words of the caller's dialect, where its SDKs branch on it; null otherwise. */
  readonly dialectCode: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: {
    readonly status: number;
    readonly type: ErrorType;
    readonly message: string;
    readonly detail?: string;
    readonly log?: Readonly<Record<string, string>>;
    readonly failure?: FailedCall | null;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly dialectCode?: string;
    /** Extra response headers, lower case (`retry-after`, `x-should-retry`, `x-ratelimit-*`). */
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    super(options.status === 500 ? 'Internal Server Error' : options.message);
    this.status = options.status;
    this.type = options.type;
    this.detail = options.detail ?? null;
    this.log = options.log ?? {};
    this.failure = options.failure ?? null;
    this.metadata = options.metadata ?? {};
    this.dialectCode = options.dialectCode ?? null;
    this.headers = options.headers ?? {};
  }
}
