import { isUtf8 } from 'node:buffer';
import type { GatewayError } from '../terms/gateway-error.ts';
import { JsonReader } from './json-reader.ts';
import { notUtf8, unacceptable, VIOLATIONS } from './json-refusal.ts';
import type { KeptTexts } from './json-sinks.ts';

/**
 * Parses a scanned JSON text with the native parser. `members` is the number of members that the scan counted. Throws
 * GatewayError 400.
 */
export function parseWhole(bytes: Buffer, members: number): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw brokenAt(bytes);
  }
  const violation = verifyJson(value, members);
  if (violation !== null) throw unacceptable(violation);
  return value;
}

const NO_TEXTS: KeptTexts = { places: [], judgedLater: true };

/** The native parser does not say where a text breaks in every case, so our own reader finds the place. */
function brokenAt(bytes: Buffer): GatewayError {
  const reader = new JsonReader({ texts: NO_TEXTS, isLenient: true, valueTokensMax: Number.POSITIVE_INFINITY });
  try {
    reader.feed(bytes);
    reader.end();
  } catch (thrown) {
    return thrown as GatewayError;
  }
  throw new Error('the native parser refused a text that our own reader accepts');
}

/**
 * Checks a parsed body for defects that `JSON.parse` accepts although parsers disagree about them: a name repeated in
 * one object, a number beyond the range of a double, half of a surrogate pair. The depth was bounded before. (rule E33)
 */

/** Null if the value is valid, else the violation. `members` is the number of members in the text. */
function verifyJson(value: unknown, members: number): string | null {
  const seen: JsonCounts = { members: 0, violation: null };
  visit(value, seen);
  if (seen.violation !== null) return seen.violation;
  return seen.members === members ? null : VIOLATIONS.repeated;
}

interface JsonCounts {
  members: number;
  violation: string | null;
}

function visit(value: unknown, seen: JsonCounts): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) seen.violation = VIOLATIONS.halfPair;
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) seen.violation = VIOLATIONS.range;
  } else if (Array.isArray(value)) {
    for (const entry of value) visit(entry, seen);
  } else if (typeof value === 'object' && value !== null) {
    // Objects from `JSON.parse` inherit no enumerable member.
    for (const name in value) {
      seen.members++;
      if (!name.isWellFormed()) seen.violation = VIOLATIONS.halfPairInName;
      visit((value as Record<string, unknown>)[name], seen);
    }
  }
}
