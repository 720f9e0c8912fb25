/** The syntax of JSON, as bytes of UTF-8. */
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
export const NEWLINE = 0x0a;
export const BACKSLASH = 0x5c;
export const BRACKET_CLOSE = 0x5d;
export const BRACE_OPEN = 0x7b;
export const BRACE_CLOSE = 0x7d;

/** Kinds of bytes outside strings. WORD is the rest: bytes of a number or a literal. */
export const WORD = 0;
export const SPACE = 1;
export const OPEN = 2;
export const CLOSE = 3;
export const SEPARATOR = 4;
export const ASSIGNMENT = 5;
export const TEXT = 6;

/** Kind of each byte value. */
export const KINDS = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) KINDS[byte] = SPACE;
for (const byte of [BRACKET_OPEN, BRACE_OPEN]) KINDS[byte] = OPEN;
for (const byte of [BRACKET_CLOSE, BRACE_CLOSE]) KINDS[byte] = CLOSE;
KINDS[COMMA] = SEPARATOR;
KINDS[COLON] = ASSIGNMENT;
KINDS[QUOTE] = TEXT;

/** Longest run of WORD bytes outside strings: a number or a literal. */
export const WORD_BYTES_MAX = 1_024;
/** Names and short strings end within this many bytes, where a byte loop is faster than starting a native search. */
const NEAR_BYTES = 16;
/** Length of `\uXXXX`, and of the one-letter escapes. */
const UNICODE_ESCAPE_BYTES = 6;
const ESCAPE_BYTES = 2;
export const LETTER_U = 0x75;

/** The quote that closes the string whose content begins at `from`; -1 if the bytes do not hold it. */
export function closingQuote(bytes: Uint8Array, from: number): number {
  let start = from;
  const near = Math.min(from + NEAR_BYTES, bytes.length);
  for (; start < near && bytes[start] !== BACKSLASH; start++) if (bytes[start] === QUOTE) return start;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, start);
    if (quote < 0 || !isEscaped(bytes, start, quote)) return quote;
    start = quote + 1;
  }
}

/** The end of the last complete escape or character in a string's content, between `from` and the end of the bytes. */
export function completeEscapes(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  for (let at = length - 1; at >= from && at > length - UNICODE_ESCAPE_BYTES; at--) {
    if (bytes[at] !== BACKSLASH) continue;
    if (isEscaped(bytes, from, at)) return length;
    const needs = bytes[at + 1] === LETTER_U ? UNICODE_ESCAPE_BYTES : ESCAPE_BYTES;
    return at + needs > length ? at : length;
  }
  return length;
}

/** The number of bytes that form whole characters: all, or all but an incomplete last character. */
export function completeCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = length - 1; at >= 0 && at >= length - 3; at--) {
    const byte = bytes[at] as number;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needs = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + needs > length ? at : length;
  }
  return length;
}

/** True if an odd number of backslashes, not counting any before `from`, directly precedes `at`. */
export function isEscaped(bytes: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
