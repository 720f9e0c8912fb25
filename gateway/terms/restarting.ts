import { GatewayError } from './gateway-error.ts';

/** 503 of a node that drains: ends streams in-band. */
export function restarting(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is restarting, please repeat the request',
    headers: { 'retry-after': '1', 'x-should-retry': 'true' },
  });
}
