import { AskError } from '../../actors/runtime/index.ts';
import type { Refusal, RefusedAnswer } from '../../actors/terms/refusal.ts';
import { GatewayError } from './gateway-error.ts';
import { unavailable } from './unavailable.ts';

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
