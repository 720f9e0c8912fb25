import { LongText } from '../terms/long-text.ts';

/** The pieces of a string that spans several windows of a reader. */
export interface TextPieces {
  /** `source`: the JSON form of `text`; it may change once this returns. */
  add(text: string, source: Buffer): void;
  /** Adds ASCII bytes without decoding them; false if they need that. */
  addPlain(source: Buffer): boolean;
  take(): string | LongText;
}

/** Enough to tell what a text is: a `data:` URL, a header. */
const HEAD_CHARACTERS_MIN = 1_024;
const BASE64 = /^[A-Za-z0-9+/]*$/;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const SPACES = 0x20202020;
const HIGHEST_BITS = 0x80808080;
const PADDING_MAX = 2;

export class JoinedPieces implements TextPieces {
  readonly #pieces: string[] = [];

  add(text: string): void {
    this.#pieces.push(text);
  }

  addPlain(): boolean {
    return false;
  }

  take(): string {
    return this.#pieces.join('');
  }
}

export class LongPieces implements TextPieces {
  #head = '';
  readonly #rest: Buffer[] = [];
  #length = 0;
  #isBase64 = true;
  #padding = 0;

  add(text: string, source: Buffer): void {
    if (text === '') return;
    this.#length += text.length;
    if (this.#isBase64) this.#judge(text);
    if (this.#head.length < HEAD_CHARACTERS_MIN) this.#head += text;
    else this.#rest.push(Buffer.from(source));
  }

  /** What is not base64 by its head, as `data:` URLs, is only searched for what JSON does not allow. */
  addPlain(source: Buffer): boolean {
    if (this.#head.length < HEAD_CHARACTERS_MIN || source.includes(BACKSLASH)) return false;
    if (this.#isBase64) return false;
    if (source.length === 0) return true;
    const own = Buffer.from(source);
    if (hasControls(own)) return false;
    this.#length += own.length;
    this.#rest.push(own);
    return true;
  }

  take(): string | LongText {
    if (this.#rest.length === 0) return this.#head;
    const isBase64 = this.#isBase64 && this.#padding <= PADDING_MAX;
    return new LongText({ head: this.#head, rest: this.#rest, length: this.#length, isBase64 });
  }

  /** Only padding follows padding. */
  #judge(text: string): void {
    let end = text.length;
    while (end > 0 && text[end - 1] === '=') end--;
    this.#isBase64 = (end === 0 || this.#padding === 0) && BASE64.test(text.slice(0, end));
    this.#padding += text.length - end;
  }
}

/**
 * True if a byte of ASCII is below the space. Looks at four bytes at a time: subtracting a space from each sets the
 * highest bit of one that is smaller. `bytes` are at the beginning of a word of their buffer.
 */
function hasControls(bytes: Buffer): boolean {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let found = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    found |= (word - SPACES) & ~word;
  }
  if ((found & HIGHEST_BITS) !== 0) return true;
  return bytes.subarray(words.length * 4).some((byte) => byte < SPACE);
}
