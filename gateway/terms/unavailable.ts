import { GatewayError } from './gateway-error.ts';

/** The service cannot take this now and a repeat is the right thing: restarting, full, or out of reach of its store. */
export function unavailable(detail: string, afterSeconds = 1): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is temporarily unavailable, please repeat the request',
    detail,
    headers: { 'retry-after': String(afterSeconds), 'x-should-retry': 'true' },
  });
}
