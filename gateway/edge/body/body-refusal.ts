import type { EdgeLimits } from '../../terms/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { unavailable } from '../../terms/unavailable.ts';

/**
 * The refusals of a body, with the same messages in every reader. Which of two violations is reported depends on the
 * reader.
 */

/** Defects that `JSON.parse` accepts although parsers disagree about them. (spec: reliability, attack 60) */
export const VIOLATIONS = {
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

export function unacceptable(violation: string): GatewayError {
  return invalid(`The body is not acceptable JSON: ${violation}`);
}

/** The bound that a body exceeded, and its value. */
export interface ExceededBound {
  readonly bound: 'depth' | 'tokens' | 'word';
  readonly most: number;
}

export function tooComplex({ bound, most }: ExceededBound): GatewayError {
  switch (bound) {
    case 'depth':
      return invalid(`The body is nested too deeply: in more than ${most} levels`);
    case 'tokens':
      return invalid(`The body has more than ${most} brackets, braces, colons and commas`);
    case 'word':
      return invalid(`The body contains a number or word of more than ${most} characters`);
  }
}

export function tooManyValues(most: number): GatewayError {
  return invalid(`The body has more than ${most} brackets, braces, colons and commas outside JSON schemas`);
}

export function tooManyPieces(most: number): GatewayError {
  return invalid(`The body arrived in too many pieces: more than ${most}`);
}

/** The client sends more slowly than allowed. */
export function tooSlow(): GatewayError {
  return new GatewayError({ status: 408, type: 'timeout', message: 'The body did not arrive in time' });
}

export function tooLarge(limits: EdgeLimits): GatewayError {
  const message = `The body is larger than ${limits.bodyBytesMax} bytes`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}

export function noRoom(): GatewayError {
  return unavailable('too many bytes of request bodies are under way on this node');
}
