import { OutboundError } from '../outbound/outbound-error.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Converts any error of an attempt to a `ProviderFailure`. */
export function failureOf(thrown: unknown, status: number | null): ProviderFailure {
  if (thrown instanceof ProviderFailure) return thrown;
  if (thrown instanceof OutboundError) {
    if (thrown.timedOut) return new ProviderFailure('timeout', thrown.message, status);
    switch (thrown.failure) {
      case 'aborted':
        return new ProviderFailure('aborted', thrown.message, status);
      case 'saturated':
        return new Saturated(thrown.message, status);
      case 'malformed':
      case 'encoded':
        return new ProviderFailure('garbage', thrown.message, status);
      default:
        return new ProviderFailure('unavailable', thrown.message, status);
    }
  }
  return new ProviderFailure('garbage', thrown instanceof Error ? thrown.message : String(thrown), status);
}

/** The failure for a status other than 200, or for an error without one, where nothing else is known. */
export function statusFailure(status: number | null): ProviderFailure {
  if (status === null) return new ProviderFailure('unavailable', 'an error instead of an answer');
  if (status === 429 || status === 503 || status === 529)
    return new ProviderFailure('overloaded', `status ${status}`, status);
  if (status === 408 || status === 504 || status === 524)
    return new ProviderFailure('timeout', `status ${status}`, status);
  if (status === 413) {
    return new ProviderFailure('rejected', `status ${status}`, status, { code: 'payload_too_large' });
  }
  if (status === 400 || status === 422) return new ProviderFailure('rejected', `status ${status}`, status);
  if (status >= 300 && status < 500) return new ProviderFailure('misconfigured', `status ${status}`, status);
  return new ProviderFailure('unavailable', `status ${status}`, status);
}

/**
 * A call refused by the gateway's own bound on open calls to one provider. The turn tries another endpoint at once. The
 * failure does not count against this endpoint's health: otherwise a burst of callers would make a healthy provider
 * look broken. (rule I133)
 */
class Saturated extends ProviderFailure {
  constructor(message: string, status: number | null) {
    super('overloaded', message, status);
  }

  override get isProvidersFault(): boolean {
    return false;
  }
}
