import { AskError } from '../../actors/runtime/index.ts';
import type { ErrorType, Refusal, RefusedAnswer } from '../../actors/terms/refusal.ts';
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

/** 400: an invalid request; the message names the member. `dialectCode` as in `GatewayError`. */
export function invalid(message: string, dialectCode?: string): GatewayError {
  const code = dialectCode === undefined ? {} : { dialectCode };
  return new GatewayError({ status: 400, type: 'invalid_request', message, ...code });
}

/** 404: the name does not exist or is not visible to the caller. */
export function notFound(message: string, metadata: Readonly<Record<string, unknown>> = {}): GatewayError {
  return new GatewayError({ status: 404, type: 'not_found', message, metadata });
}

/**
 * 404: the same for what is unknown and for what another account has. `detail` is for the log and for the operator, who
 * may see both: the address or the id that was looked up, or the reason.
 */
export function absent(message: string, detail: string | null): GatewayError {
  const seen = detail === null ? {} : { detail };
  return new GatewayError({ status: 404, type: 'not_found', message, ...seen });
}

/** 503 with advice to repeat: the service is restarting, overloaded, or cannot reach its store. */
export function unavailable(detail: string, afterSeconds = 1): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is temporarily unavailable, please repeat the request',
    detail,
    headers: { 'retry-after': String(afterSeconds), 'x-should-retry': 'true' },
  });
}

/** 503 of a node that drains: ends streams in-band. */
export function restarting(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is restarting, please repeat the request',
    headers: { 'retry-after': '1', 'x-should-retry': 'true' },
  });
}

/**
 * The client left before its answer began: during the upload, or before the first delivery. No answer is written;
 * status and message are recorded with the released hold.
 */
export class CallerLeft extends GatewayError {
  override readonly name = 'CallerLeft';

  constructor() {
    super({ status: 408, type: 'timeout', message: 'The caller left before the answer began' });
  }
}

/**
 * Converts any thrown value into the failure for the client. A failure of the cluster that a repeat may solve is 503;
 * an unexpected error is 500 without its cause, which stays in `detail` for the log.
 */
export function gatewayErrorOf(thrown: unknown): GatewayError {
  const known = thrown instanceof AskError ? unanswered(thrown) : thrown;
  if (known instanceof GatewayError) return known;
  if (known instanceof Error && STORE_ERRORS.has(known.name)) return unavailable(known.message);
  return new GatewayError({
    status: 500,
    type: 'server',
    message: 'Internal Server Error',
    detail: known instanceof Error ? (known.stack ?? known.message) : String(known),
  });
}

/** Matched by name: the store's errors cross layers, and only the runtime may import its ports. */
const STORE_ERRORS: ReadonlySet<string> = new Set(['StoreRefused', 'StoreOutcomeUnknown']);

/** Clients treat a longer pause as a mistake and use their own. (rule E5) */
const RETRY_AFTER_SECONDS_MAX = 60;
/** Failures that a repeat does not solve. */
const PERMANENT: ReadonlySet<string> = new Set(['failed', 'rejected', 'unhandled', 'finished', 'quarantined']);

/**
 * Converts an actor's refusal into the client's error; an exhausted window or a time for a repeat adds its headers.
 * `now` is store time in ms.
 */
export function refusalError(refusal: Refusal, now: number): GatewayError {
  const { status, type, message, metadata, window, retryAfterMs } = refusal;
  return new GatewayError({
    status,
    type,
    message,
    ...(metadata ? { metadata } : {}),
    ...(window
      ? {
          headers: {
            'retry-after': String(wholeSeconds(window.resetAt - now)),
            'x-ratelimit-limit': String(window.limit),
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': String(Math.ceil(window.resetAt / 1_000)),
          },
        }
      : {}),
    ...(retryAfterMs === undefined
      ? {}
      : {
          headers: {
            'retry-after': String(wholeSeconds(retryAfterMs)),
            'x-should-retry': 'true',
            ...limitHeaders(refusal, now + retryAfterMs),
          },
        }),
  });
}

/** Of a 429 for a limit that is no window: it may be free again at the time for a repeat. (rule E1) */
function limitHeaders({ status, metadata }: Refusal, repeatAt: number): Readonly<Record<string, string>> {
  if (status !== 429 || typeof metadata?.limit !== 'number') return {};
  return {
    'x-ratelimit-limit': String(metadata.limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(repeatAt / 1_000)),
  };
}

/** The client's error for an ask whose cascade an actor refused; null for any other failure. */
export function rejectionOf(thrown: unknown, now: number): GatewayError | null {
  if (!(thrown instanceof AskError) || thrown.failure.code !== 'rejected') return null;
  const refused = thrown.failure.refusal.body as unknown as RefusedAnswer | null;
  return refused?.refusal ? refusalError(refused.refusal, now) : null;
}

/** Converts a failed ask: 500 for a permanent failure, 503 with advice to repeat for any other. */
export function unanswered(thrown: unknown): unknown {
  if (!(thrown instanceof AskError)) return thrown;
  const { failure } = thrown;
  if (PERMANENT.has(failure.code)) {
    return new GatewayError({ status: 500, type: 'server', message: 'Internal Server Error', detail: thrown.message });
  }
  const afterMs = failure.code === 'busy' ? failure.retryAfterMs : 1_000;
  return unavailable(thrown.message, wholeSeconds(afterMs));
}

function wholeSeconds(ms: number): number {
  return Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(ms / 1_000)));
}
