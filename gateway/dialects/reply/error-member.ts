import type { GatewayError } from '../../terms/gateway-error.ts';

/** The `error` member of an envelope and of a stream's last chunk, with the public members of the error only. */
export function errorMember(error: GatewayError): string {
  return JSON.stringify({
    code: error.status,
    message: error.message,
    metadata: { ...error.metadata, error_type: error.type },
  });
}
