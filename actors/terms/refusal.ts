import { add, compare, isNegative } from './usd.ts';

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
 * The values of `metadata.error_type` that this build uses: those of the closed list (rule E1), and `conflict` (409)
 * and `gone` (410), for which that list has no value.
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

/** How the message of every 401 begins. */
export const NO_VALID_KEY = 'Missing or invalid API key';

/**
 * The 401 of a key that is not accepted: equal for every reason that the key itself has (unknown, revoked, expired, of
 * a suspended owner), so that the response does not reveal whether the key exists (rule K4).
 */
export const UNAUTHENTICATED: Refusal = {
  status: 401,
  type: 'authentication',
  message: `${NO_VALID_KEY}: the key that was sent is not accepted`,
};

/** Exact decimal USD. */
export interface Shortfall {
  /** The most that the turn may cost. */
  readonly required: string;
  /** The amount that can be spent now; may be negative. */
  readonly available: string;
  /** The amount that other requests hold and may give back; absent where no repeat of the request may succeed. */
  readonly held?: string | undefined;
}

/** What may be exhausted: the account's balance, the limit of the key, a budget of its workspace. */
export type PaymentScope = 'account' | 'key' | 'workspace';

/**
 * 402. The scope names the exhausted limit. (rule K62) `metadata.held` is what `available` grows by once the
 * other requests have ended without a charge; absent where that is nothing.
 */
export function paymentRequired(scope: PaymentScope, shortfall: Shortfall): Refusal {
  const isOverdrawn = isNegative(shortfall.available);
  const available = isOverdrawn ? '0' : shortfall.available;
  const held = shortfall.held ?? '0';
  const growth = isOverdrawn ? add(shortfall.available, held) : held;
  return {
    status: 402,
    type: 'payment_required',
    message: `${CREDIT[scope](available)} and this request may cost up to ${shortfall.required} USD`,
    metadata: { scope, required: shortfall.required, available, ...(compare(growth, '0') > 0 ? { held: growth } : {}) },
  };
}

const CREDIT: Readonly<Record<PaymentScope, (available: string) => string>> = {
  account: (available) => `Insufficient credit: ${available} USD is available`,
  key: (available) => `The spending limit of this key leaves ${available} USD`,
  workspace: (available) => `The budget of the key's workspace leaves ${available} USD`,
};

/** True for a 402 of a request that would be admitted if the other requests gave back all that they hold. */
export function fitsOnceReleased({ required, available, held }: Shortfall): boolean {
  return held !== undefined && compare(required, add(available, held)) <= 0;
}
