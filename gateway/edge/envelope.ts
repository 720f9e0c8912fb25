import { errorMember } from '../dialects/reply/error-member.ts';
import type { GatewayError } from '../terms/gateway-error.ts';

/**
 * The one place where a failure becomes an answer's body: `{error: {code, message, metadata: {error_type, ...}}}`.
 * `detail` never comes here. (spec: inference, Errors)
 */
export function renderEnvelope(error: GatewayError): string {
  return `{"error":${errorMember(error)}}`;
}
