import { GatewayError } from './gateway-error.ts';

/** 503 with advice to repeat: the service is restarting, overloaded, or cannot reach its store. */
export function unavailable(detail: string, afterSeconds = 1): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is temporarily unavailable, please repeat the request',
    detail,
    headers: { 'retry-after': String(afterSeconds), 'x-should-retry': 'true' },
  });
}
