import type { GatewayError } from '../../terms/gateway-error.ts';
import type { ErrorEnvelope } from '../reply/error-envelope.ts';

/** The codes of a response that failed. (rule I89) */
type FailureCode = 'invalid_prompt' | 'rate_limit_exceeded' | 'context_length_exceeded' | 'server_error';

/** Statuses that say the request itself is at fault. */
const INVALID: ReadonlySet<number> = new Set([400, 403, 404, 413, 422]);

export function failureCode({ type, status }: GatewayError): FailureCode {
  if (type === 'context_length_exceeded') return 'context_length_exceeded';
  if (status === 429) return 'rate_limit_exceeded';
  return INVALID.has(status) ? 'invalid_prompt' : 'server_error';
}

/**
 * The envelope of a stream that was refused before it opened: the standard one with the members that clients of this
 * dialect read. `code` is null but for the causes that they branch on. (rule I89)
 */
export const streamEnvelope: ErrorEnvelope = (error) => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({
    error: {
      code: error.dialectCode,
      message: error.message,
      type: error.type,
      param: null,
      metadata: { ...error.metadata, error_type: error.type },
    },
  }),
});
