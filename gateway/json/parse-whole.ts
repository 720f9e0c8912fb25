import { isUtf8 } from 'node:buffer';
import { notJson, notUtf8, unacceptable } from './json-refusal.ts';
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
    throw notJson();
  }
  const violation = verifyJson(value, members);
  if (violation !== null) throw unacceptable(violation);
  return value;
}
