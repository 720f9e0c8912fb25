import type { ErrorType } from '../../../actors/terms/refusal.ts';

interface ErrorRow {
  readonly statuses: readonly number[];
  /** Here and in `repeat`, what stands in backticks is code. */
  readonly meaning: string;
  /** Whether a repeat can help. */
  readonly repeat: string;
}

/**
 * What each error type says to a caller. The page of the API shows this table, and docs/api.md repeats it.
 * (rule E1, rule E5)
 */
export const ERRORS: Readonly<Record<ErrorType, ErrorRow>> = {
  authentication: {
    statuses: [401],
    meaning: 'no key, two keys, or a key that is not accepted; the message names a mistake in sending',
    repeat: 'no: check the key and its header',
  },
  conflict: {
    statuses: [409],
    meaning: 'the object is in another state, the name is taken, or the `Idempotency-Key` was used',
    repeat: 'as `x-should-retry` says; `metadata.generation_id` names the first run',
  },
  content_policy_violation: {
    statuses: [403],
    meaning: 'the moderation of every provider refused the content',
    repeat: 'no: change the content',
  },
  context_length_exceeded: {
    statuses: [400],
    meaning: 'prompt and ceiling do not fit; `metadata.previous_errors` names the sizes',
    repeat: 'no: send less, or ask for compression',
  },
  gone: {
    statuses: [410],
    meaning: 'the clip was delivered, expired or removed',
    repeat: 'no',
  },
  invalid_image: {
    statuses: [400],
    meaning: 'a provider cannot fetch or read a picture',
    repeat: 'no: send another one',
  },
  invalid_request: {
    statuses: [400, 405, 415, 416, 417, 426, 431],
    meaning: 'the message names the member, the method or the header at fault',
    repeat: 'no: correct it',
  },
  max_tokens_exceeded: {
    statuses: [400],
    meaning: 'the ceiling is above what the model can emit',
    repeat: 'no: lower `max_tokens`',
  },
  not_found: {
    statuses: [404],
    meaning:
      'no such path, model or object, or it belongs to another account; `metadata.suggestions` has models with such an id, else some that answer with what was asked for; a path below a wrong base address is named',
    repeat: 'no',
  },
  payload_too_large: {
    statuses: [413],
    meaning: 'the body, or the files that it names, are too large',
    repeat: 'no: send less',
  },
  payment_required: {
    statuses: [402],
    meaning:
      "the balance, a key's limit or a workspace's budget does not cover the request; `metadata.scope` says which",
    repeat:
      'after a deposit; or with at most `metadata.affordable_max_tokens`; where `metadata.held` is present, after running requests ended',
  },
  permission_denied: {
    statuses: [403],
    meaning: 'the key may not do this, or the account is full',
    repeat: 'no',
  },
  provider_overloaded: {
    statuses: [503],
    meaning: 'no endpoint can serve now, or the service itself is busy or restarts',
    repeat: 'after `Retry-After`; not where `x-should-retry` is `false`: `metadata.rejections` says what to change',
  },
  provider_unavailable: {
    statuses: [502],
    meaning: 'every endpoint that was tried failed; `metadata.previous_errors` says how',
    repeat: 'with growing pauses',
  },
  rate_limit_exceeded: {
    statuses: [429],
    meaning: 'a rate or a number of simultaneous uses is exceeded',
    repeat: 'after `Retry-After`',
  },
  server: {
    statuses: [500],
    meaning: 'a failure of the service',
    repeat: 'once; then report `X-Generation-Id`',
  },
  timeout: {
    statuses: [408, 504],
    meaning: 'the body arrived too slowly (408), or the providers took too long',
    repeat: 'with growing pauses',
  },
  unprocessable: {
    statuses: [422],
    meaning: 'valid, but cannot be carried out; or an `Idempotency-Key` with another body',
    repeat: 'no',
  },
};
