import { isUtf8 } from 'node:buffer';
import type { GatewayError } from '../terms/gateway-error.ts';
import { JsonReader } from './json-reader.ts';
import { notUtf8, unacceptable } from './json-refusal.ts';
import type { KeptTexts } from './json-sinks.ts';
import { verifyJson } from './verify-json.ts';

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
