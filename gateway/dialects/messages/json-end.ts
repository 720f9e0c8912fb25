/**
 * Tells when the pieces of a JSON object add up to all of it, in linear time and without keeping them. A text that does
 * not begin with a brace is never complete. Does not check the syntax.
 */
export class JsonEnd {
  #depth = 0;
  #state: 'before' | 'inside' | 'complete' | 'other' = 'before';
  #inString = false;
  #escaped = false;

  get complete(): boolean {
    return this.#state === 'complete';
  }

  feed(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      if (this.#state === 'complete' || this.#state === 'other') return;
      const code = piece.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) this.#string(code);
      else this.#outside(code);
    }
  }

  #string(code: number): void {
    if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }

  #outside(code: number): void {
    if (code <= SPACE) return;
    if (this.#state === 'before' && code !== BRACE_OPEN) {
      this.#state = 'other';
      return;
    }
    this.#state = 'inside';
    if (code === QUOTE) this.#inString = true;
    else if (code === BRACE_OPEN || code === BRACKET_OPEN) this.#depth++;
    else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) {
      this.#depth--;
      if (this.#depth === 0) this.#state = 'complete';
    }
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
