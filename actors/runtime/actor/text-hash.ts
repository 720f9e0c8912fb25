/**
 * A 32-bit polynomial hash of texts whose parts can be put together: the hash of a text that only grows costs what was
 * added. A text in which one character differs never has the same hash, since the base is odd.
 */
const BASE = 0x01000193;

/** Continues `hash` with `text`. */
export function textHash(text: string, hash = 0): number {
  let value = hash;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, BASE) + text.charCodeAt(i)) | 0;
  return value;
}

/** What the hash of everything before is multiplied by when `text` follows; continues `shift`. */
export function textShift(text: string, shift = 1): number {
  let value = shift;
  for (let i = 0; i < text.length; i++) value = Math.imul(value, BASE);
  return value;
}

/** The hash of two texts, one after the other. */
export function joined(before: number, after: number, shiftOfAfter: number): number {
  return (Math.imul(before, shiftOfAfter) + after) | 0;
}
