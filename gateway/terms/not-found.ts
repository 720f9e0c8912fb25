import { GatewayError } from './gateway-error.ts';

/** 404: nothing of that name, or nothing the caller may see. */
export function notFound(message: string, metadata: Readonly<Record<string, unknown>> = {}): GatewayError {
  return new GatewayError({ status: 404, type: 'not_found', message, metadata });
}
