/** A refusal in an actor's answer; the gateway renders it in the dialect's error envelope. Public text only. */
export interface Refusal {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  /** Further members of `error.metadata`, next to `error_type`. */
  readonly metadata?: { readonly [member: string]: string | number | boolean | null };
  /** A repeat may succeed after this time; absent where it is pointless or `window` says when. */
  readonly retryAfterMs?: number;
  /** Of an exhausted fixed window: the requests it admits, and the store time in ms of its reset. */
  readonly window?: { readonly limit: number; readonly resetAt: number };
}

/**
 * The values of `metadata.error_type` that this build uses: those of the closed list (conventions 1.15), and `conflict`
 * (409) and `gone` (410), for which that list has no value.
 */
export const ERROR_TYPES = [
  'authentication',
  'conflict',
  'content_policy_violation',
  'context_length_exceeded',
  'gone',
  'invalid_image',
  'invalid_request',
  'max_tokens_exceeded',
  'not_found',
  'payload_too_large',
  'payment_required',
  'permission_denied',
  'provider_overloaded',
  'provider_unavailable',
  'rate_limit_exceeded',
  'server',
  'timeout',
  'unprocessable',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The answer to a refused ask when the answer's contract has no refusal form. */
export interface RefusedAnswer {
  readonly refusal: Refusal;
}
