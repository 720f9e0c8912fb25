import type { ProviderFailure } from './provider-failure.ts';
import { type RefusalNote, refusalFailure } from './refused.ts';

/** Error names of providers, and the statuses that they publish for them. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  timeout_error: 504,
  timeout: 504,
  overloaded_error: 529,
};

type Members = Readonly<Record<string, unknown>>;

/** The error that an answer or a frame holds instead of its content, MiniMax's in any dialect; null where it holds none. */
export function errorIn({ error, base_resp: stated, choices }: Members): unknown {
  if (error != null && error !== false) return error;
  return choices == null && (stated as Members | null | undefined)?.status_code ? stated : null;
}

/**
 * The failure for an error object inside a 200. Its text never leaves the classification: it may contain the operator's
 * key or the prompt; only `note` receives it.
 */
export function inBandFailure(error: unknown, note?: RefusalNote): ProviderFailure {
  const failure = refusalFailure(error, statedStatus(error));
  note?.(JSON.stringify(error) ?? '', failure);
  return failure;
}

/** Null where the error states none: a number of another kind is an error code of the provider's own. */
function statedStatus(error: unknown): number | null {
  const { code, type, status, status_code } = (typeof error === 'object' && error !== null ? error : {}) as Members;
  for (const stated of [code, status, status_code]) {
    if (Number.isInteger(stated) && (stated as number) >= 400 && (stated as number) <= 599) return stated as number;
  }
  for (const word of [code, type]) {
    if (typeof word === 'string' && Object.hasOwn(STATUSES, word)) return STATUSES[word] as number;
  }
  return null;
}
