import { AskError } from '../../../actors/runtime/index.ts';
import { GatewayError, gatewayErrorOf } from '../../terms/gateway-error.ts';
import { isAbsent, OperatorFault } from './operator-route.ts';

/** Any thrown value as the failure that an operator reads, who may know the address and the cause. */
export function faultOf(thrown: unknown): OperatorFault {
  if (thrown instanceof OperatorFault) return thrown;
  if (thrown instanceof AskError) return unanswered(thrown);
  const { status, type, message, detail } = gatewayErrorOf(thrown);
  if (status === 500) return new OperatorFault(500, 'internal', 'the request failed; see the log of the node');
  return new OperatorFault(status, type, thrown instanceof GatewayError && detail !== null ? detail : message);
}

function unanswered({ address, failure }: AskError): OperatorFault {
  switch (failure.code) {
    case 'absent':
      return isAbsent(address);
    case 'quarantined':
      return new OperatorFault(409, 'quarantined', `${address} is quarantined: ${failure.detail}`);
    case 'rejected':
    case 'failed':
      return new OperatorFault(409, failure.code, `${address}: ${failure.detail}`);
    default:
      return new OperatorFault(503, 'unavailable', `${address} cannot answer now (${failure.code}); ask again`);
  }
}
