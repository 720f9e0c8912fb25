import { endianness } from 'node:os';

/** Vectors as text: base64 of 32-bit floats, little-endian on every machine. (rule I106) */
const SWAPPED = endianness() === 'BE';

export function floatText(numbers: readonly number[] | Float32Array): string {
  const bytes = Buffer.from(Float32Array.from(numbers).buffer);
  return (SWAPPED ? bytes.swap32() : bytes).toString('base64');
}

/** Null for a text with an incomplete number. */
export function floatsIn(text: string): Float32Array | null {
  const decoded = Buffer.from(text, 'base64');
  if (decoded.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  const floats = new Float32Array(decoded.length / Float32Array.BYTES_PER_ELEMENT);
  Buffer.from(floats.buffer).set(SWAPPED ? decoded.swap32() : decoded);
  return floats;
}
