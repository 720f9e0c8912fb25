import type { CallFailure } from '../../../actors/terms/endpoint.ts';
import type { ErrorType } from '../../../actors/terms/refusal.ts';
import type { JobError } from '../../../actors/video-job/job-record.ts';
import type { ProviderFailure } from '../../providers/provider-failure.ts';
import type { RefusalCode } from '../../providers/refusal/provider-refusal.ts';

/** A delivered clip that lies outside the admitted request. */
interface OutsideClip {
  readonly outside: string;
}

/** Why one candidate did not render the job. */
export type CandidateFailure = ProviderFailure | OutsideClip;

const REFUSED = 'The provider refused this request: ';
const REFUSALS: { readonly [code in RefusalCode]?: readonly [number, ErrorType, string] } = {
  content_policy_violation: [403, 'content_policy_violation', 'its moderation does not admit the content'],
  invalid_image: [400, 'invalid_image', 'it cannot read an image'],
  payload_too_large: [413, 'payload_too_large', 'the request has too many bytes'],
  unsupported_parameter: [400, 'invalid_request', 'a parameter is not supported there'],
  invalid_parameter: [400, 'invalid_request', 'a parameter has a value that it does not accept'],
};
const UNEXPLAINED = [400, 'invalid_request', 'it gave no reason that can be passed on'] as const;

/**
 * The error of a job whose candidates all failed, or that a provider refused: in our words and by the closed
 * vocabulary, never by a provider's text. (rule V26)
 */
export function renderError(failures: readonly CandidateFailure[]): JobError {
  const last = failures.at(-1);
  const refused = failures.find((failure) => isRefusal(failure));
  if (refused !== undefined && 'refusal' in refused) {
    const [code, type, what] = REFUSALS[refused.refusal?.code ?? 'invalid_request'] ?? UNEXPLAINED;
    return errorOf(code, type, `${REFUSED}${what}`);
  }
  if (last !== undefined && 'outside' in last) {
    return errorOf(
      502,
      'provider_unavailable',
      `The delivered clip is not the one that was asked for: ${last.outside}`,
    );
  }
  const all = (reason: ProviderFailure['reason']): boolean =>
    failures.length > 0 && failures.every((failure) => 'reason' in failure && failure.reason === reason);
  if (all('timeout')) return errorOf(504, 'timeout', 'The provider did not answer in time');
  if (all('overloaded')) {
    return errorOf(503, 'provider_overloaded', 'Every provider that could render this is overloaded');
  }
  return errorOf(502, 'provider_unavailable', 'The provider failed and no other could render this');
}

/** A refusal of the request itself, which no other endpoint is asked about. */
export function isRefusal(failure: CandidateFailure): boolean {
  return 'reason' in failure && failure.reason === 'rejected';
}

/** The category that the record of the attempt shows. */
export function categoryOf(failure: CandidateFailure): string {
  return 'outside' in failure ? 'garbage' : failure.category;
}

/** The provider's, and not the caller's or ours. */
export function isFault(failure: CandidateFailure): boolean {
  return 'outside' in failure || failure.isProvidersFault;
}

/** The failure for operators. */
export function shownOf(failure: CandidateFailure): CallFailure {
  return 'outside' in failure ? { category: categoryOf(failure), text: failure.outside } : failure.shown;
}

function errorOf(code: number, error_type: ErrorType, message: string): JobError {
  return { code, message, error_type };
}
