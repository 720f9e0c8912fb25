import { GatewayError, invalid } from '../terms/gateway-error.ts';

/**
 * The refusals of a JSON text, with the same messages in every reader and for every line of a batch. Which of two
 * violations is reported depends on the reader.
 */

/** Defects that `JSON.parse` accepts although parsers disagree about them. (rule E33) */
export const VIOLATIONS = {
  repeated: 'a member name is written twice in one object',
  halfPair: 'a string holds half of a surrogate pair',
  halfPairInName: 'a member name holds half of a surrogate pair',
  range: 'a number is out of range',
} as const;

/** Why a text is not JSON. */
const DEFECTS = {
  unexpected: 'unexpected character',
  control: 'a string holds a control character, such as a line break',
  escape: 'a string holds an unknown escape',
  early: 'it ends too early',
} as const;
export type Defect = keyof typeof DEFECTS;

/** Lines and bytes count from 1, the bytes from the beginning of their line. */
export function notJson(
  defect: Defect,
  { line, byte }: { readonly line: number; readonly byte: number },
): GatewayError {
  return invalid(`The body is not valid JSON: ${DEFECTS[defect]}, at line ${line}, byte ${byte}`);
}

export function emptyBody(): GatewayError {
  return invalid('The body is empty: send a JSON object');
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

export function tooLarge(bytesMax: number): GatewayError {
  const message = `The body is larger than ${bytesMax} bytes`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}
