import { GatewayError } from '../terms/gateway-error.ts';

/**
 * 404: the same for what is unknown and for what another account has. `detail` is for the log and for the operator, who
 * may see both: the address or the id that was looked up, or the reason.
 */
export function absent(message: string, detail: string | null): GatewayError {
  const seen = detail === null ? {} : { detail };
  return new GatewayError({ status: 404, type: 'not_found', message, ...seen });
}
