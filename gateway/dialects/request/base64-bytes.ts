/**
 * Strict base64, checked without decoding: Node's decoder drops foreign characters instead of refusing them, and the
 * size must be known before anything is allocated. One pass, linear. (spec: reliability, attack 66)
 */
/** A single character class, so the search never backtracks. */
const FOREIGN = /[^A-Za-z0-9+/]/;

/** Decoded size of a text in bytes; null when it is empty or not base64 with its padding. */
export function base64Bytes(text: string): number | null {
  const { length } = text;
  if (length === 0 || length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (FOREIGN.test(padding === 0 ? text : text.slice(0, length - padding))) return null;
  return (length / 4) * 3 - padding;
}
