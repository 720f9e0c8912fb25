import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError, invalid, unavailable } from '../../terms/gateway-error.ts';

/** The refusals of an upload, whatever it holds. */

/** Throws GatewayError 415 for a compressed body: decompressing costs more than it took to send. */
export function refuseCompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  const message = 'Compressed request bodies are not supported';
  throw new GatewayError({ status: 415, type: 'invalid_request', message });
}

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
