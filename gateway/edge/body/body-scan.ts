import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  NEAR_BYTES,
  QUOTE,
  WORD_BYTES_MAX,
} from './json-bytes.ts';

/**
 * Counts what makes a JSON text expensive to parse as it arrives: nesting, structural tokens, the length of a number. It
 * knows nothing else of JSON and accepts much that is not; the parser comes after it and is then bounded. The work per
 * byte is constant, and strings are leapt through by the platform: a chunk of 64 KiB costs well under a millisecond
 * whatever it holds. (spec: reliability E7)
 */
export interface BodyScanLimits {
  readonly depthMax: number;
  readonly tokensMax: number;
}

const SPACE = 0x20;

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
      if (byte > SPACE && !isStructure(byte)) {
        if (++word > WORD_BYTES_MAX) break;
        continue;
      }
      word = 0;
      if (byte === QUOTE) {
        inString = true;
      } else if (byte === COMMA) {
        tokens++;
      } else if (byte === COLON) {
        tokens++;
        members++;
      } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
        tokens++;
        if (++depth > depthMax) break;
      } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
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
    let start = from;
    if (!this.#escaped) {
      const near = Math.min(from + NEAR_BYTES, chunk.length);
      for (; start < near && chunk[start] !== BACKSLASH; start++) if (chunk[start] === QUOTE) return start;
    }
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (end - backslashes > start && chunk[end - 1 - backslashes] === BACKSLASH) backslashes++;
      // The run may have begun in the chunk before.
      const odd = (backslashes % 2 === 1) !== (this.#escaped && backslashes === end - start);
      this.#escaped = quote < 0 && odd;
      if (quote < 0) return chunk.length;
      if (!odd) return quote;
      this.#escaped = false;
      start = quote + 1;
    }
  }
}

/** A quote among it. The first comparison decides for what numbers are made of. */
function isStructure(byte: number): boolean {
  if (byte < BRACKET_OPEN) return byte === COMMA || byte === COLON || byte === QUOTE;
  return byte === BRACE_OPEN || byte === BRACE_CLOSE || byte === BRACKET_OPEN || byte === BRACKET_CLOSE;
}
