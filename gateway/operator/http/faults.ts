import { AskError, type Cluster, parseAddress } from '../../../actors/runtime/index.ts';
import { GatewayError, gatewayErrorOf } from '../../terms/gateway-error.ts';
import { kindOfId } from '../find-address.ts';
import { outageWords } from '../outage.ts';
import { isAbsent, OperatorFault } from './operator-route.ts';

/** Any thrown value as the failure that an operator reads, who may know the address and the cause. */
function faultOf(thrown: unknown): OperatorFault {
  if (thrown instanceof OperatorFault) return thrown;
  if (thrown instanceof AskError) return unanswered(thrown);
  const { status, type, message, detail } = gatewayErrorOf(thrown);
  if (status === 500) return new OperatorFault(500, 'internal', 'the request failed; see the log of the node');
  if (!(thrown instanceof GatewayError) || detail === null) return new OperatorFault(status, type, message);
  return status === 404 && isName(detail) ? isAbsent(detail) : new OperatorFault(status, type, detail);
}

/** The same, or that the store is out of reach where this is the cause, which the node alone knows. */
export async function faultAt(cluster: Cluster | null, thrown: unknown): Promise<OperatorFault> {
  const fault = faultOf(thrown);
  if (fault.status < 500 || cluster === null || thrown instanceof OperatorFault) return fault;
  const view = await Promise.resolve()
    .then(() => cluster.operator.ps())
    .catch(() => null);
  const words = view && outageWords(view);
  return words ? new OperatorFault(503, 'store_away', words) : fault;
}

function isName(text: string): boolean {
  return parseAddress(text) !== null || kindOfId(text) !== null;
}

function unanswered({ address, failure }: AskError): OperatorFault {
  switch (failure.code) {
    case 'absent':
      return isAbsent(address);
    case 'quarantined':
      return new OperatorFault(
        409,
        'quarantined',
        `${failure.detail}; repair its stored state, then run \`troupe reload ${address}\``,
      );
    case 'failed':
    case 'rejected':
      return unknownActor(failure.detail) ?? new OperatorFault(409, failure.code, `${address}: ${failure.detail}`);
    case 'refused': {
      const why = `${address}: the store refuses writes now (${failure.detail}); try again later`;
      return new OperatorFault(503, 'store_refused', why);
    }
    case 'busy': {
      const seconds = Math.ceil(failure.retryAfterMs / 1_000);
      return new OperatorFault(503, 'busy', `${address} is busy; try again in ${seconds} s`);
    }
    case 'expired':
    case 'lost':
      return new OperatorFault(
        504,
        'unknown_outcome',
        `${address} did not answer in time; the change may have been made: check before you repeat it`,
      );
    default:
      return new OperatorFault(503, 'unavailable', `${address} cannot answer now (${failure.code}); try again`);
  }
}

/** A key of an unknown account, for example: the message that a step sent on reached nobody. */
function unknownActor(detail: string): OperatorFault | null {
  const end = detail.indexOf(' is absent and ');
  if (end < 0 || !detail.endsWith(' does not create it')) return null;
  return isAbsent(detail.slice(detail.lastIndexOf(' ', end - 1) + 1, end));
}
