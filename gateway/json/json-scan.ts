import {
  ASSIGNMENT,
  CLOSE,
  closingQuote,
  isEscaped,
  KINDS,
  OPEN,
  SEPARATOR,
  TEXT,
  WORD,
  WORD_BYTES_MAX,
} from './json-bytes.ts';
import type { ExceededBound } from './json-refusal.ts';

interface JsonScanLimits {
  readonly depthMax: number;
  readonly tokensMax: number;
}

/** The largest byte that ends a word; the parser rejects control characters. */
const BLANK = 0x20;

/**
 * Counts as it arrives what makes a JSON text expensive to parse: nesting, structural tokens, the length of a number.
 * It accepts much that is not JSON; the parser runs afterwards and is then bounded. The work per byte is constant, and
 * a native search skips strings: a chunk of 64 KiB of any content costs well under a millisecond. (rule E33)
 */
export class JsonScan {
  readonly #limits: JsonScanLimits;
  #depth = 0;
  #tokens = 0;
  #members = 0;
  #inString = false;
  /** An odd number of backslashes directly precedes the next byte of a string. */
  #escaped = false;
  #word = 0;

  constructor(limits: JsonScanLimits) {
    this.#limits = limits;
  }

  /** Brackets, braces, colons and commas outside strings, so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Members so far: colons outside strings. Repeated names count each time. */
  get members(): number {
    return this.#members;
  }

  /** The bound that the text exceeds, once `feed` has returned false. */
  get exceeded(): ExceededBound {
    const { depthMax, tokensMax } = this.#limits;
    if (this.#depth > depthMax) return { bound: 'depth', most: depthMax };
    return this.#tokens > tokensMax ? { bound: 'tokens', most: tokensMax } : { bound: 'word', most: WORD_BYTES_MAX };
  }

  /** Scans the next bytes. Returns false once the text exceeds a bound, and ever after. */
  feed(chunk: Uint8Array): boolean {
    const { depthMax, tokensMax } = this.#limits;
    let depth = this.#depth;
    let tokens = this.#tokens;
    let members = this.#members;
    let inString = this.#inString;
    let word = this.#word;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (inString) {
        i = this.#skipString(chunk, i);
        inString = i >= chunk.length;
        continue;
      }
      const kind = KINDS[byte];
      if (kind === WORD && byte > BLANK) {
        if (++word > WORD_BYTES_MAX) break;
        continue;
      }
      word = 0;
      if (kind === TEXT) {
        inString = true;
      } else if (kind === SEPARATOR) {
        tokens++;
      } else if (kind === ASSIGNMENT) {
        tokens++;
        members++;
      } else if (kind === OPEN) {
        tokens++;
        if (++depth > depthMax) break;
      } else if (kind === CLOSE) {
        tokens++;
        depth--;
      }
      if (tokens > tokensMax) break;
    }
    this.#depth = depth;
    this.#tokens = tokens;
    this.#members = members;
    this.#inString = inString;
    this.#word = word;
    return depth <= depthMax && tokens <= tokensMax && word <= WORD_BYTES_MAX;
  }

  /** Skips from inside a string to its closing quote; returns the chunk's length if it is not in this chunk. */
  #skipString(chunk: Uint8Array, from: number): number {
    // A backslash at the end of the previous chunk escapes the first byte of this one.
    const start = this.#escaped ? from + 1 : from;
    const quote = closingQuote(chunk, start);
    this.#escaped = quote < 0 && isEscaped(chunk, start, chunk.length);
    return quote < 0 ? chunk.length : quote;
  }
}
