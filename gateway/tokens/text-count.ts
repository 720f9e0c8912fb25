/**
 * Best guess at the tokens of a text, from the kinds of characters it is made of. The weights were fitted to two
 * vocabularies in wide use (cl100k, o200k) over prose in 21 languages, code, data and noise: `npm run bench -- tokens`
 * tells how far off it is. One pass, and a bounded one: of a long text only windows are looked at.
 */

/** A text up to this long is read whole; of a longer one so many windows, evenly spread, stand for the rest. */
const CHARACTERS_WHOLE = 1_024;
const WINDOWS = 8;
const WINDOW_CHARACTERS = 128;

/** Kinds of ASCII characters; a run of one kind is what tokenizers split at. */
const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const BREAK = 4;
const MARK = 5;
const CONTROL = 6;
const WIDE = 7;

const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code === 0x20) return SPACE;
  if (code === 0x09 || code === 0x0a || code === 0x0d) return BREAK;
  if (code < 0x20 || code === 0x7f) return CONTROL;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? LETTER : MARK;
});

const WORD = 1.1;
/** A longer word is cut; so is one at a capital inside it. */
const WORD_LETTERS = 5;
const LETTER_BEYOND = 0.18;
const CAPITAL_INSIDE = 1.3;
const NUMBER = 1.35;
const NUMBER_DIGITS = 3;
const DIGIT_BEYOND = 1 / 3;
const MARKS = 0.4;
const MARK_BEYOND = 0.65;
/** A single blank belongs to the word behind it. */
const SPACES = 0.6;

/** Tokens per character beyond ASCII, by the end of its range. Scripts a vocabulary knows well cost it less. */
const WIDE_TOKENS: readonly (readonly [below: number, tokens: number])[] = [
  [0x0250, 0.55], // Latin with marks
  [0x0370, 1.5], // combining marks
  [0x0530, 0.58], // Greek, Cyrillic
  [0x0590, 1],
  [0x0780, 0.66], // Hebrew, Arabic
  [0x0900, 1.5],
  [0x0e00, 0.77], // scripts of India
  [0x0f00, 0.68], // Thai, Lao
  [0x1e00, 1.3],
  [0x1f00, 0.55], // Vietnamese
  [0x3000, 1.2],
  [0x3040, 1.05],
  [0x3100, 0.87], // kana
  [0xa000, 1.1], // Han
  [0xac00, 1.4],
  [0xd7b0, 1.15], // Hangul
  [0xe000, 1.4], // halves of pairs: emoji and rare scripts
  [0x1_0000, 1.3],
];

/** Tokens, possibly with a fraction, so that the pieces of a text add up; 0 only for an empty one. */
export function textCount(text: string): number {
  const { length } = text;
  if (length <= CHARACTERS_WHOLE) return count(text, 0, length);
  const step = Math.floor((length - WINDOW_CHARACTERS) / (WINDOWS - 1));
  let seen = 0;
  for (let nth = 0; nth < WINDOWS; nth++) seen += count(text, nth * step, nth * step + WINDOW_CHARACTERS);
  return (seen / (WINDOWS * WINDOW_CHARACTERS)) * length;
}

function count(text: string, from: number, to: number): number {
  let tokens = 0;
  let before = 0;
  let run = 0;
  let capital = false;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 0x80 ? (KINDS[code] as number) : WIDE;
    run = kind === before ? run + 1 : 1;
    if (kind === LETTER) {
      const isCapital = code < 0x61;
      tokens += run === 1 ? WORD : run > WORD_LETTERS ? LETTER_BEYOND : 0;
      if (run > 1 && isCapital && !capital) tokens += CAPITAL_INSIDE;
      capital = isCapital;
    } else if (kind === WIDE) tokens += wideTokens(code);
    else tokens += plainTokens(kind, run, code === text.charCodeAt(at - 1));
    before = kind;
  }
  return tokens;
}

function plainTokens(kind: number, run: number, repeats: boolean): number {
  if (kind === SPACE) return run === 2 ? SPACES : 0;
  if (kind === DIGIT) return run === 1 ? NUMBER : run > NUMBER_DIGITS ? DIGIT_BEYOND : 0;
  if (kind === MARK) return run === 1 ? MARKS : repeats ? 0 : MARK_BEYOND;
  return kind === BREAK ? (run === 1 ? 1 : 0) : 1;
}

function wideTokens(code: number): number {
  for (const [below, tokens] of WIDE_TOKENS) if (code < below) return tokens;
  return 1;
}
