/**
 * Counts what makes a JSON text expensive to parse, byte by byte as it arrives: nesting and structural tokens. It knows
 * nothing else of JSON and accepts much that is not; the parser comes after it and is then bounded. The work per byte
 * is constant, so a chunk of 64 KiB costs about a millisecond whatever it holds. (spec: reliability E7)
 */
export interface BodyScanLimits {
  readonly depthMax: number;
  readonly tokensMax: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

export class BodyScan {
  readonly #limits: BodyScanLimits;
  #depth = 0;
  #tokens = 0;
  #members = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: BodyScanLimits) {
    this.#limits = limits;
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
    let escaped = this.#escaped;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        continue;
      }
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
    this.#escaped = escaped;
    return depth <= depthMax && tokens <= tokensMax;
  }
}
