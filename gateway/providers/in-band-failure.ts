import { statusFailure } from './failure-of.ts';
import { type FailureCause, ProviderFailure } from './provider-failure.ts';

/** What providers call their errors, where they give no status. Any other word is a breakdown. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  rate_limit_error: 'overloaded',
  rate_limit_exceeded: 'overloaded',
  overloaded_error: 'overloaded',
  timeout_error: 'timeout',
  timeout: 'timeout',
  invalid_request_error: 'rejected',
  context_length_exceeded: 'rejected',
  authentication_error: 'misconfigured',
  permission_error: 'misconfigured',
  not_found_error: 'misconfigured',
  billing_error: 'misconfigured',
  insufficient_quota: 'misconfigured',
};

/**
 * An error told inside a 200. Only its status and its kind are read, never its text: that may hold the key it was
 * asked with, or the prompt.
 */
export function inBandFailure(error: unknown): ProviderFailure {
  const { code, type, status } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  for (const stated of [code, status]) {
    if (Number.isInteger(stated) && (stated as number) >= 400 && (stated as number) <= 599) {
      return statusFailure(stated as number);
    }
  }
  for (const word of [code, type]) {
    if (typeof word === 'string' && Object.hasOwn(CAUSES, word)) {
      return new ProviderFailure(CAUSES[word] as FailureCause, `${word} in place of an answer`);
    }
  }
  return new ProviderFailure('unavailable', 'an error in place of an answer');
}
