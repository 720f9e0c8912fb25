/** In both stores texts compare by their bytes, and no character has greater ones. */
const LAST_CHARACTER = '\u{10ffff}';

/** The end, exclusive, of the texts that begin with this one. */
export function endOfPrefix(text: string): string {
  return `${text}${LAST_CHARACTER}`;
}
