import { GatewayError } from './gateway-error.ts';

/** 404: the name does not exist or is not visible to the caller. */
export function notFound(message: string, metadata: Readonly<Record<string, unknown>> = {}): GatewayError {
  return new GatewayError({ status: 404, type: 'not_found', message, metadata });
}
