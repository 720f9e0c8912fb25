/**
 * Strict base64, looked at without decoding: the platform's decoder drops what it does not know instead of refusing it,
 * and a size should be known before anything is allocated. One pass, linear. (spec: reliability, attack 66)
 */
/** Searching for what is foreign never backtracks, however long the text is. */
const FOREIGN = /[^A-Za-z0-9+/]/;

/** Bytes a text decodes to, by arithmetic; null when it is not base64 with its padding, or empty. */
export function base64Bytes(text: string): number | null {
  const { length } = text;
  if (length === 0 || length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (FOREIGN.test(padding === 0 ? text : text.slice(0, length - padding))) return null;
  return (length / 4) * 3 - padding;
}
