import { statusFailure } from './failure-of.ts';
import { lengthRefusal } from './length-refusal.ts';
import { type FailureCause, ProviderFailure } from './provider-failure.ts';

/** Error names of providers, used where they give no status. Any unlisted name means `unavailable`. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  rate_limit_error: 'overloaded',
  rate_limit_exceeded: 'overloaded',
  overloaded_error: 'overloaded',
  timeout_error: 'timeout',
  timeout: 'timeout',
  invalid_request_error: 'rejected',
  authentication_error: 'misconfigured',
  permission_error: 'misconfigured',
  not_found_error: 'misconfigured',
  billing_error: 'misconfigured',
  insufficient_quota: 'misconfigured',
};

/**
 * The failure for an error object inside a 200. Only its status, its kind and the sizes it names are read: its text may
 * contain the operator's key or the prompt.
 */
export function inBandFailure(error: unknown): ProviderFailure {
  const { code, type, status } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const sizes = lengthRefusal(error);
  if (sizes !== null) return new ProviderFailure('context_length', 'refused for its length', null, sizes);
  for (const stated of [code, status]) {
    if (Number.isInteger(stated) && (stated as number) >= 400 && (stated as number) <= 599) {
      return statusFailure(stated as number);
    }
  }
  for (const word of [code, type]) {
    if (typeof word === 'string' && Object.hasOwn(CAUSES, word)) {
      return new ProviderFailure(CAUSES[word] as FailureCause, `${word} instead of an answer`);
    }
  }
  return new ProviderFailure('unavailable', 'an error instead of an answer');
}
