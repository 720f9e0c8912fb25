import { GatewayError } from './gateway-error.ts';

/** 400: an invalid request; the message names the member. `dialectCode` as in `GatewayError`. */
export function invalid(message: string, dialectCode?: string): GatewayError {
  const code = dialectCode === undefined ? {} : { dialectCode };
  return new GatewayError({ status: 400, type: 'invalid_request', message, ...code });
}
