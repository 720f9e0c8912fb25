import { isUtf8 } from 'node:buffer';
import { notJson, notUtf8, unacceptable } from './body-refusal.ts';
import { verifyJson } from './verify-json.ts';

/**
 * A JSON text that is there as a whole and was scanned, by the platform's parser. `members` is how many the scan found.
 * Throws GatewayError 400.
 */
export function parseWhole(bytes: Buffer, members: number): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw notJson();
  }
  const flaw = verifyJson(value, members);
  if (flaw !== null) throw unacceptable(flaw);
  return value;
}
