import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { unavailable } from '../../terms/unavailable.ts';

/** The refusals of an upload, whatever it holds. */

export function tooManyPieces(most: number): GatewayError {
  return invalid(`The body arrived in too many pieces: more than ${most}`);
}

/** The client sends more slowly than allowed. */
export function tooSlow(): GatewayError {
  return new GatewayError({ status: 408, type: 'timeout', message: 'The body did not arrive in time' });
}

export function noRoom(): GatewayError {
  return unavailable('too many bytes of request bodies are under way on this node');
}
