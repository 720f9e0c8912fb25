import type { ErrorType } from '../../actors/terms/refusal.ts';

/** A failure reported to the client. `message` and `metadata` are public; `detail` goes to the log only. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly status: number;
  readonly type: ErrorType;
  readonly detail: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: {
    readonly status: number;
    readonly type: ErrorType;
    readonly message: string;
    readonly detail?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    /** Extra response headers, lower case (`retry-after`, `x-should-retry`, `x-ratelimit-*`). */
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    super(options.status === 500 ? 'Internal Server Error' : options.message);
    this.status = options.status;
    this.type = options.type;
    this.detail = options.detail ?? null;
    this.metadata = options.metadata ?? {};
    this.headers = options.headers ?? {};
  }
}
