import type { Place } from './place.ts';

/**
 * The associated data of one encryption: every word is prefixed with its length, so that different lists of words never
 * produce the same bytes.
 */
export function boundTo(
  purpose: string,
  { account, object, kind }: Place,
  ...more: readonly (string | number)[]
): Buffer {
  const parts: Buffer[] = [];
  for (const word of [purpose, account, object, kind, ...more.map(String)]) {
    const bytes = Buffer.from(word, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}
