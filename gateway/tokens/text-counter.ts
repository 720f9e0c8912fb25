import { type Clock, LOOP_TURN_BYTES, loopShare } from '../../actors/runtime/index.ts';
import { pieces } from './pieces.ts';
import { utf8Bytes } from './utf8-bytes.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Bytes of text counted per share of the event loop: 0.2 ms for known words, 4 ms for random letters. */
const SHARE_TEXT_BYTES = 2_048;
/** Two shares fit one turn of the loop, over all prompts and beside the bodies that it reads. */
const SHARE_BYTES = LOOP_TURN_BYTES / 2;

/** The tokens of a text, counted in one go: for texts of a few thousand characters. */
export function countNow(text: string, vocabulary: Vocabulary): number {
  let tokens = 0;
  for (const piece of pieces(text)) tokens += vocabulary(piece);
  return tokens;
}

/**
 * Counts texts one after the other in shares of the event loop, up to a number of tokens. From there on it estimates at
 * the rate of what it counted: that the texts together have more tokens is known, and how many more decides nothing.
 */
export class TextCounter {
  readonly #vocabulary: Vocabulary;
  readonly #clock: Clock;
  readonly #tokensMax: number;
  #tokens = 0;
  #bytes = 0;
  #shareLeft = 0;

  constructor(vocabulary: Vocabulary, clock: Clock, tokensMax: number) {
    this.#vocabulary = vocabulary;
    this.#clock = clock;
    this.#tokensMax = tokensMax;
  }

  async count(text: string): Promise<number> {
    let tokens = 0;
    let bytesLeft = utf8Bytes(text);
    for (const piece of pieces(text)) {
      if (this.#tokens > this.#tokensMax) return tokens + Math.ceil((bytesLeft * this.#tokens) / this.#bytes);
      const bytes = utf8Bytes(piece);
      this.#shareLeft -= bytes;
      while (this.#shareLeft < 0) {
        await loopShare(this.#clock, SHARE_BYTES);
        this.#shareLeft += SHARE_TEXT_BYTES;
      }
      const counted = this.#vocabulary(piece);
      this.#tokens += counted;
      this.#bytes += bytes;
      bytesLeft -= bytes;
      tokens += counted;
    }
    return tokens;
  }
}
