/**
 * Base of a 32-bit polynomial hash. Texts that differ in exactly one character always have different hashes, since the
 * base is odd.
 */
const BASE = 0x01000193;

/** Continues `hash` with `text`. */
export function textHash(text: string, hash = 0): number {
  let value = hash;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, BASE) + text.charCodeAt(i)) | 0;
  return value;
}
