import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../actors/runtime/index.ts';
import { LOOP_TURN_BYTES, loopShare } from '../overload/loop-work.ts';
import { pieces, utf8Bytes } from './pieces.ts';
import type { Vocabulary, VocabularyName } from './vocabulary.ts';

/** Bytes of text counted per share of the event loop: 0.2 ms for known words, 4 ms for random letters. */
const SHARE_TEXT_BYTES = 2_048;
/** Two shares fit one turn of the loop, over all prompts and beside the bodies that it reads. */
const SHARE_BYTES = LOOP_TURN_BYTES / 2;

/** A text takes at least as long as this many bytes, however short it is. */
export const TEXT_BYTES_MIN = 64;
/** The digest of a text takes this many times less than its count, and at least as long as this many bytes. */
const KNOWN_FACTOR = 32;
const KNOWN_BYTES_MIN = 16;

/** The tokens of a text, known or counted in one go: for texts of a few thousand characters. */
export function countNow(text: string, vocabulary: Vocabulary): number {
  const counts = countsFor(text);
  if (counts === null) return countPieces(text, vocabulary);
  const key = countKey(vocabulary.name, text);
  const known = counts.get(key);
  if (known !== undefined) return known;
  const tokens = countPieces(text, vocabulary);
  counts.set(key, tokens);
  return tokens;
}

function countPieces(text: string, vocabulary: Vocabulary): number {
  let tokens = 0;
  for (const piece of pieces(text)) tokens += vocabulary.count(piece);
  return tokens;
}

/**
 * Counts texts one after the other in shares of the event loop, up to a number of tokens. From there on it estimates at
 * the rate of what it counted: that the texts together have more tokens is known, and how many more decides nothing.
 * Texts that were counted before are not counted again.
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
    const bytes = utf8Bytes(text);
    if (this.#tokens > this.#tokensMax) return this.#estimate(bytes);
    const counts = countsFor(text);
    if (counts === null) return this.#countPieces(text, bytes);
    await this.share(Math.max(bytes / KNOWN_FACTOR, KNOWN_BYTES_MIN));
    const key = countKey(this.#vocabulary.name, text);
    const known = counts.get(key);
    if (known === undefined) return this.#countPieces(text, bytes, (tokens) => counts.set(key, tokens));
    this.#add(known, bytes);
    return known;
  }

  /** A text whose end is estimated is not remembered. */
  async #countPieces(text: string, textBytes: number, remember?: (tokens: number) => void): Promise<number> {
    let tokens = 0;
    let bytesLeft = textBytes;
    for (const piece of pieces(text)) {
      if (this.#tokens > this.#tokensMax) return tokens + this.#estimate(bytesLeft);
      const bytes = utf8Bytes(piece);
      await this.share(Math.max(bytes, TEXT_BYTES_MIN));
      const counted = this.#vocabulary.count(piece);
      this.#add(counted, bytes);
      bytesLeft -= bytes;
      tokens += counted;
    }
    remember?.(tokens);
    return tokens;
  }

  /** At the rate of what was counted. */
  #estimate(bytes: number): number {
    return Math.ceil((bytes * this.#tokens) / this.#bytes);
  }

  /** Waits until the event loop has room for counting this many bytes. */
  async share(bytes: number): Promise<void> {
    this.#shareLeft -= bytes;
    while (this.#shareLeft < 0) {
      await loopShare(this.#clock, SHARE_BYTES);
      this.#shareLeft += SHARE_TEXT_BYTES;
    }
  }

  #add(tokens: number, bytes: number): void {
    this.#tokens += tokens;
    this.#bytes += bytes;
  }
}

/** Shorter texts are counted as fast as they are looked up; the digest of a longer one would stall the event loop. */
const CHARACTERS_MIN = 16;
const CHARACTERS_MAX = 256 * 1_024;
/** Longer texts have a cache of their own: there are fewer of them, and each count takes longer. */
const SHORT_CHARACTERS_MAX = 1_024;
/** Of each cache; 200 bytes each. */
const TEXTS_MAX = 16_384;

/**
 * The tokens of texts that were counted before, by their digest: a conversation repeats its messages with every turn,
 * and an application its instructions. Module state because a count never changes.
 */
const shortCounts = new LRUCache<string, number>({ max: TEXTS_MAX });
const longCounts = new LRUCache<string, number>({ max: TEXTS_MAX });

/** Where the count of a text is remembered; null for a text that is not remembered. */
function countsFor(text: string): LRUCache<string, number> | null {
  if (text.length < CHARACTERS_MIN || text.length > CHARACTERS_MAX) return null;
  return text.length > SHORT_CHARACTERS_MAX ? longCounts : shortCounts;
}

/** What a text is remembered under. */
function countKey(vocabulary: VocabularyName, text: string): string {
  return `${vocabulary} ${hash('sha256', text, 'base64')}`;
}
