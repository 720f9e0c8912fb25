/** Characters counted in one go: some milliseconds at worst. */
export const PIECE_CHARACTERS = 2_048;
/**
 * A run without a space, or of spaces only, is cut at this length: the time of a run is quadratic in it. A cut adds one
 * token at most, and none to repeated characters and digits, whose tokens have 3, 8 or 16 of them.
 */
const RUN_CHARACTERS = 240;

const LONG_RUN = new RegExp(`\\S{${RUN_CHARACTERS + 1}}|\\s{${RUN_CHARACTERS + 1}}`, 'u');
const RUNS = new RegExp(`\\s?\\S{1,${RUN_CHARACTERS}}|\\s{1,${RUN_CHARACTERS}}`, 'gu');

/**
 * A text in pieces that are counted one by one: their tokens add up to those of the whole, but for one token where a run
 * is cut. A piece ends before a space, since the space belongs to the word after it.
 */
export function* pieces(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    const piece = text.slice(from, to);
    if (LONG_RUN.test(piece)) yield* piece.match(RUNS) ?? [];
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

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
