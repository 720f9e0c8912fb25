/** Characters counted in one go: some milliseconds at worst. */
export const PIECE_CHARACTERS = 2_048;
/**
 * A run without a space, or of spaces only, is cut at this length: the time of a run is quadratic in it. A cut adds one
 * token at most, and none to repeated characters and digits, whose tokens have 3, 8 or 16 of them.
 */
const RUN_CHARACTERS = 240;
/** Runs of at most `RUN_CHARACTERS`. */
const RUNS = /\s?\S{1,240}|\s{1,240}/gu;

/**
 * A text in pieces that are counted one by one: their tokens add up to those of the whole, but for one token where a
 * run is cut. A piece ends before a space, since the space belongs to the word after it.
 */
export function* pieces(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    const piece = text.slice(from, to);
    if (hasLongRun(piece)) yield* piece.match(RUNS) ?? [];
    else yield piece;
    from = to;
  }
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - RUN_CHARACTERS; at--) {
    if (isSpace(text.charCodeAt(at)) && !isSpace(text.charCodeAt(at - 1))) return at;
  }
  // A pair of surrogates stays whole.
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** A loop, since a regular expression takes a quarter of the time of counting. */
function hasLongRun(piece: string): boolean {
  let run = 0;
  let before = false;
  for (let at = 0; at < piece.length; at++) {
    const space = isSpace(piece.charCodeAt(at));
    run = space === before ? run + 1 : 1;
    if (run > RUN_CHARACTERS) return true;
    before = space;
  }
  return false;
}

/** The white space of regular expressions. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === 0xa0 || (code >= 0x1680 && WIDE_SPACES.has(code));
}

const WIDE_SPACES: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000, 0xfeff,
]);

/** Longer texts are measured by Node; for short ones the call alone costs more than counting. */
const COUNTED_CHARACTERS_MAX = 512;

/** UTF-8 bytes of a text. Measured on texts of 50 characters: 0.06 us here, 0.9 us by `Buffer.byteLength`. */
export function utf8Bytes(text: string): number {
  const { length } = text;
  if (length > COUNTED_CHARACTERS_MAX) return Buffer.byteLength(text);
  let bytes = length;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Each half of a surrogate pair counts two of its four bytes; a lone half is encoded as three, like any other unit.
    bytes += code < 0x800 ? 1 : isHalfOfPair(text, at, code) ? 1 : 2;
  }
  return bytes;
}

function isHalfOfPair(text: string, at: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = text.charCodeAt(code < 0xdc00 ? at + 1 : at - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other <= 0xdbff;
}
