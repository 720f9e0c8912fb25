import type { EdgeLimits } from '../../terms/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { unavailable } from '../../terms/unavailable.ts';

/** What a body is refused with, in the same words whoever reads it; which of two flaws is told of depends on the reader. */

/** What `JSON.parse` lets through although readers would disagree about it. (spec: reliability, attack 60) */
export const FLAWS = {
  repeated: 'a member name is written twice in one object',
  halfPair: 'a string holds half of a surrogate pair',
  halfPairInName: 'a member name holds half of a surrogate pair',
  range: 'a number is out of range',
} as const;

export function notJson(): GatewayError {
  return invalid('The body is not valid JSON');
}

export function notUtf8(): GatewayError {
  return invalid('The body is not valid UTF-8');
}

export function unacceptable(flaw: string): GatewayError {
  return invalid(`The body is not acceptable JSON: ${flaw}`);
}

export function tooComplex(): GatewayError {
  return invalid('The body is nested too deeply, holds too many members, or a number without end');
}

export function tooManyPieces(): GatewayError {
  return invalid('The body comes in too many pieces');
}

export function tooLarge(limits: EdgeLimits): GatewayError {
  const message = `The body is larger than ${limits.bodyBytesMax} bytes`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}

export function noRoom(): GatewayError {
  return unavailable('too many bytes of bodies are under way on this node');
}
