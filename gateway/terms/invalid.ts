import { GatewayError } from './gateway-error.ts';

/** 400: an invalid request; the message names the member. */
export function invalid(message: string): GatewayError {
  return new GatewayError({ status: 400, type: 'invalid_request', message });
}
