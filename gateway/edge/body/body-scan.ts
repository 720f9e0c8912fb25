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

export interface BodyScanLimits {
  readonly depthMax: number;
  readonly tokensMax: number;
}

/** Control characters are told apart from it by the parser. */
const BLANK = 0x20;

/**
 * Counts what makes a JSON text expensive to parse as it arrives: nesting, structural tokens, the length of a number. It
 * knows nothing else of JSON and accepts much that is not; the parser comes after it and is then bounded. The work per
 * byte is constant, and strings are leapt through by the platform: a chunk of 64 KiB costs well under a millisecond
 * whatever it holds. (spec: reliability E7)
 */
export class BodyScan {
  readonly #limits: BodyScanLimits;
  #depth = 0;
  #tokens = 0;
  #members = 0;
  #inString = false;
  /** An odd number of backslashes stands right before the next byte of a string. */
  #escaped = false;
  #word = 0;

  constructor(limits: BodyScanLimits) {
    this.#limits = limits;
  }

  /** Brackets, braces, colons and commas outside strings, so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Members written so far: colons outside strings. Repeated names count each time. */
  get members(): number {
    return this.#members;
  }

  /** Looks at the next bytes; false as soon as the text is beyond a bound, and from then on. */
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
        i = this.#leap(chunk, i);
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

  /** From inside a string to the quote that ends it; the chunk's length where none does. */
  #leap(chunk: Uint8Array, from: number): number {
    // What is escaped from the chunk before stands at the beginning of this one, and ends nothing.
    const start = this.#escaped ? from + 1 : from;
    const quote = closingQuote(chunk, start);
    this.#escaped = quote < 0 && isEscaped(chunk, start, chunk.length);
    return quote < 0 ? chunk.length : quote;
  }
}
