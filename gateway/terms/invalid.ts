import { GatewayError } from './gateway-error.ts';

/** 400: the caller's own mistake, naming the member. */
export function invalid(message: string): GatewayError {
  return new GatewayError({ status: 400, type: 'invalid_request', message });
}
