/** A refusal as actors answer it: what the gateway turns into the envelope of the dialect. Public text only. */
export interface Refusal {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  /** Members beside `error_type` in `error.metadata`. */
  readonly metadata?: { readonly [member: string]: string | number | boolean | null };
  /** Of a fixed window that is used up: how many it admits, and store time in ms when it starts again. */
  readonly window?: { readonly limit: number; readonly resetAt: number };
}

/** The closed list of `metadata.error_type` (conventions 1.15) that this build can answer. */
export type ErrorType =
  | 'authentication'
  | 'context_length_exceeded'
  | 'invalid_request'
  | 'not_found'
  | 'payload_too_large'
  | 'payment_required'
  | 'permission_denied'
  | 'precondition_failed'
  | 'provider_overloaded'
  | 'provider_unavailable'
  | 'rate_limit_exceeded'
  | 'server'
  | 'timeout'
  | 'unmapped'
  | 'unprocessable';

/** How an actor answers an ask that it refuses, where the contract of the answer has no form of its own for it. */
export interface RefusedAnswer {
  readonly refusal: Refusal;
}
