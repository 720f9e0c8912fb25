import type { LineError } from '../../../actors/batch/line-record.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';

/** What the live route answers, as the error of a result line. (rule B28) */
export function lineErrorOf({ type, status, message }: GatewayError): LineError {
  return { type, code: status, message, param: null };
}
