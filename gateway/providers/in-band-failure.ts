import { type FailureCause, ProviderFailure } from './provider-failure.ts';
import { classifyRefusal, isModeration, lengthOf } from './refusal/classify-refusal.ts';
import type { ProviderRefusal } from './refusal/provider-refusal.ts';
import { refusalFacts } from './refusal/refusal-facts.ts';
import { type RefusalNote, refusalFailure } from './refused.ts';

/** Error names of providers, used where they give no status. Any unlisted name means `unavailable`. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  rate_limit_error: 'overloaded',
  rate_limit_exceeded: 'overloaded',
  overloaded_error: 'overloaded',
  timeout_error: 'timeout',
  timeout: 'timeout',
  invalid_request_error: 'rejected',
  request_too_large: 'rejected',
  authentication_error: 'misconfigured',
  permission_error: 'misconfigured',
  not_found_error: 'misconfigured',
  billing_error: 'misconfigured',
  insufficient_quota: 'misconfigured',
};
/** The statuses of the names whose failures do not count against an endpoint. */
const STATUSES: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  permission_error: 403,
};

/**
 * The failure for an error object inside a 200. Its text never leaves the classification: it may contain the operator's
 * key or the prompt; only `note` receives it.
 */
export function inBandFailure(error: unknown, note?: RefusalNote): ProviderFailure {
  const failure = failureIn(error);
  note?.(JSON.stringify(error) ?? '', failure);
  return failure;
}

function failureIn(error: unknown): ProviderFailure {
  const { code, type, status } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const sizes = lengthOf(refusalFacts(error));
  if (sizes !== null) return rejected({ code: 'context_length_exceeded', sizes });
  for (const stated of [code, status]) {
    if (Number.isInteger(stated) && (stated as number) >= 400 && (stated as number) <= 599) {
      return refusalFailure(error, stated as number);
    }
  }
  if (isModeration(error)) return rejected({ code: 'content_policy_violation' });
  for (const word of [code, type]) {
    if (typeof word !== 'string' || !Object.hasOwn(CAUSES, word)) continue;
    const cause = CAUSES[word] as FailureCause;
    const refusal = cause === 'rejected' ? classifyRefusal(error, null) : 'operator';
    return refusal === 'operator' ? causedBy(cause, word) : rejected(refusal);
  }
  return new ProviderFailure('unavailable', 'an error instead of an answer');
}

function rejected(refusal: ProviderRefusal): ProviderFailure {
  return new ProviderFailure('rejected', `${refusal.code} instead of an answer`, null, refusal);
}

/** An invalid request by the operator's own account or model is no refusal of the caller's. */
function causedBy(cause: FailureCause, word: string): ProviderFailure {
  const reason = cause === 'rejected' ? 'misconfigured' : cause;
  return new ProviderFailure(reason, `${word} instead of an answer`, STATUSES[word] ?? null);
}
