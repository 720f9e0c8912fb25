import { isAscii, isUtf8 } from 'node:buffer';
import type { GatewayError } from '../terms/gateway-error.ts';
import type { LongText } from '../terms/long-text.ts';
import {
  ASSIGNMENT,
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  CLOSE,
  closingQuote,
  completeCharacters,
  completeEscapes,
  KINDS,
  LETTER_U,
  NEWLINE,
  OPEN,
  SEPARATOR,
  SPACE,
  TEXT,
  WORD,
  WORD_BYTES_MAX,
} from './json-bytes.ts';
import { type Defect, emptyBody, notJson, notUtf8, tooManyValues, unacceptable, VIOLATIONS } from './json-refusal.ts';
import { type JsonSink, type KeptTexts, type Places, SCHEMA_TEXTS, TextSink, ValueSink } from './json-sinks.ts';
import { JoinedPieces, LongPieces, type TextPieces } from './text-pieces.ts';

type Expected = 'value' | 'value or close' | 'name' | 'name or close' | 'colon' | 'comma or close' | 'nothing';

/** Matches escapes, and control characters, which are errors. */
const NOT_PLAIN = /[^\x20-\x5b\x5d-\uffff]/;
const NO_BYTES = Buffer.alloc(0);

/**
 * Brackets, braces, colons and commas of what becomes objects. Everything that follows works on them, so they bound the
 * stalls of the event loop; a logit bias for every token of the largest vocabularies has 524,288. What stays text does
 * not count.
 */
export const VALUE_TOKENS_MAX = 600_000;

export interface JsonReaderOptions {
  /** The objects that stay text. */
  readonly texts?: KeptTexts | undefined;
  /** Accepts what the native parser accepts: repeated names, half pairs and numbers out of range. */
  readonly isLenient?: boolean | undefined;
  /** Strings here that span several pieces become `LongText`. Of a lenient reader only. */
  readonly longStrings?: Places | undefined;
  /** Absent: `VALUE_TOKENS_MAX`. More only where nothing works on the values one by one. */
  readonly valueTokensMax?: number | undefined;
}

/**
 * Reads a JSON text in pieces that are cut anywhere, in time proportional to each piece; the native parser needs the
 * whole text. A `JsonScan` has bounded depth, tokens and words before. The result equals that of `parseWhole`, value or
 * refusal, but for what the options name. Strings are decoded natively, piece by piece. Both methods throw GatewayError
 * 400, after which the reader is unusable. (rule E33, rule E34)
 */
export class JsonReader {
  #expected: Expected = 'value';
  readonly #texts: KeptTexts;
  readonly #longStrings: Places;
  readonly #valueTokensMax: number;
  readonly #values: ValueSink;
  #textSink: TextSink | null = null;
  #sink: JsonSink;
  #tokens = 0;
  /** Pieces of the string being read; null outside strings. */
  #text: TextPieces | null = null;
  /** An incomplete character, escape or word at the end of the bytes read so far. */
  #rest: Buffer = NO_BYTES;
  #ascii = false;
  /** Bytes before those that are being read. */
  #offset = 0;
  #line = 1;
  /** Offset of the first byte of the line. A string holds no line break, so lines end between the tokens. */
  #lineAt = 0;

  constructor(options: JsonReaderOptions = {}) {
    const { texts = SCHEMA_TEXTS, isLenient = false, longStrings = [], valueTokensMax = VALUE_TOKENS_MAX } = options;
    this.#valueTokensMax = valueTokensMax;
    this.#texts = texts;
    this.#longStrings = longStrings;
    this.#values = new ValueSink(isLenient);
    this.#sink = this.#values;
  }

  feed(bytes: Buffer): void {
    this.#take(bytes, false);
  }

  /** Returns the value after the last piece; the reader drops its reference. */
  end(): unknown {
    this.#take(NO_BYTES, true);
    if (this.#text !== null || this.#expected !== 'nothing') throw this.#endsEarly();
    const { root } = this.#values;
    this.#values.root = undefined;
    return root;
  }

  #take(bytes: Buffer, isLast: boolean): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const complete = isLast ? all : all.subarray(0, completeCharacters(all));
    if (!isUtf8(complete)) throw notUtf8();
    this.#ascii = isAscii(complete);
    const read = this.#read(complete, isLast);
    this.#offset += read;
    // A copy: the caller may free what was read.
    this.#rest = read === all.length ? NO_BYTES : Buffer.from(all.subarray(read));
  }

  /** Returns the number of bytes consumed. */
  #read(bytes: Buffer, isLast: boolean): number {
    let at = 0;
    try {
      if (this.#text !== null) at = this.#readText(bytes, 0);
      while (at < bytes.length && this.#text === null) {
        const byte = bytes[at] as number;
        const kind = KINDS[byte];
        if (kind === TEXT) {
          if (!this.#expectsValue() && !this.#expectsName()) throw new BrokenJson();
          at = this.#readText(bytes, at + 1);
        } else if (kind !== WORD) {
          if (kind !== SPACE) this.#takeStructure(kind, byte);
          else if (byte === NEWLINE) this.#beginLine(at + 1);
          at++;
        } else {
          const end = wordEnd(bytes, at);
          if (end - at > WORD_BYTES_MAX) throw new BrokenJson();
          if (end === bytes.length && !isLast) return at;
          this.#takeWord(bytes.toString('latin1', at, end));
          at = end;
        }
      }
      return at;
    } catch (thrown) {
      throw thrown instanceof BrokenJson ? this.#notJsonAt(thrown.at ?? at, thrown.defect) : thrown;
    }
  }

  #beginLine(at: number): void {
    this.#line++;
    this.#lineAt = this.#offset + at;
  }

  #notJsonAt(at: number, defect: Defect): GatewayError {
    return notJson(defect, { line: this.#line, byte: this.#offset + at - this.#lineAt + 1 });
  }

  #endsEarly(): GatewayError {
    const isEmpty = this.#text === null && this.#expected === 'value' && this.#sink.depth === 0;
    return isEmpty ? emptyBody() : this.#notJsonAt(this.#rest.length, 'early');
  }

  #expectsValue(): boolean {
    return this.#expected === 'value' || this.#expected === 'value or close';
  }

  #expectsName(): boolean {
    return this.#expected === 'name' || this.#expected === 'name or close';
  }

  #takeStructure(kind: number | undefined, byte: number): void {
    if (this.#textSink === null && ++this.#tokens > this.#valueTokensMax) throw tooManyValues(this.#valueTokensMax);
    if (kind === OPEN) {
      this.#enter(byte !== BRACE_OPEN);
    } else if (kind === CLOSE) {
      this.#leave(byte);
    } else if (kind === ASSIGNMENT) {
      if (this.#expected !== 'colon') throw new BrokenJson();
      this.#expected = 'value';
    } else if (kind === SEPARATOR) {
      if (this.#expected !== 'comma or close') throw new BrokenJson();
      this.#sink.separate();
      this.#expected = this.#sink.isInList ? 'value' : 'name';
    }
  }

  #enter(isList: boolean): void {
    if (!this.#expectsValue()) throw new BrokenJson();
    if (this.#textSink === null && !isList && this.#values.isAt(this.#texts.places)) {
      this.#textSink = new TextSink(this.#texts);
      this.#sink = this.#textSink;
    }
    this.#sink.open(isList);
    this.#expected = isList ? 'value or close' : 'name or close';
  }

  #leave(byte: number): void {
    if (!this.#sink.close(byte === BRACKET_CLOSE)) throw new BrokenJson();
    const empty = byte === BRACE_CLOSE ? 'name or close' : 'value or close';
    if (this.#expected !== 'comma or close' && this.#expected !== empty) throw new BrokenJson();
    if (this.#textSink?.depth === 0) {
      this.#sink = this.#values;
      this.#values.value(this.#textSink.take());
      this.#textSink = null;
    }
    this.#expected = this.#sink.depth === 0 ? 'nothing' : 'comma or close';
  }

  #takeWord(word: string): void {
    if (!this.#expectsValue()) throw new BrokenJson();
    const value = wordValue(word);
    if (typeof value === 'number' && !Number.isFinite(value) && !this.#sink.judgedLater)
      throw unacceptable(VIOLATIONS.range);
    this.#place(value);
  }

  /** Reads from inside a string past its end, or to the last position where the incomplete string can be cut. */
  #readText(bytes: Buffer, from: number): number {
    const quote = closingQuote(bytes, from);
    const end = quote < 0 ? completeEscapes(bytes, from) : quote;
    if (quote < 0) {
      this.#text ??= this.#isAtLong() ? new LongPieces() : new JoinedPieces();
      this.#addPiece(this.#text, bytes, from, end);
      return end;
    }
    const text = this.#takeText(bytes, from, end);
    if (typeof text !== 'string') this.#place(text);
    else if (this.#expectsName()) this.#takeName(text);
    else if (this.#sink.judgedLater || text.isWellFormed()) this.#place(text);
    else throw unacceptable(VIOLATIONS.halfPair);
    return quote + 1;
  }

  /** The end of the string at `from`, or all of it. */
  #takeText(bytes: Buffer, from: number, to: number): string | LongText {
    const pieces = this.#text;
    if (pieces === null) return this.#decoded(bytes, from, to);
    this.#addPiece(pieces, bytes, from, to);
    this.#text = null;
    return pieces.take();
  }

  #addPiece(pieces: TextPieces, bytes: Buffer, from: number, to: number): void {
    const source = bytes.subarray(from, to);
    if (!this.#ascii || !pieces.addPlain(source)) pieces.add(this.#decoded(bytes, from, to), source);
  }

  #isAtLong(): boolean {
    return this.#textSink === null && this.#expectsValue() && this.#values.isAt(this.#longStrings);
  }

  #decoded(bytes: Buffer, from: number, to: number): string {
    const text = bytes.toString(this.#ascii ? 'latin1' : 'utf8', from, to);
    if (!NOT_PLAIN.test(text)) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw brokenString(bytes, from, to);
    }
  }

  #takeName(name: string): void {
    if (!this.#sink.judgedLater && !name.isWellFormed()) throw unacceptable(VIOLATIONS.halfPairInName);
    if (!this.#sink.name(name)) throw unacceptable(VIOLATIONS.repeated);
    this.#expected = 'colon';
  }

  #place(value: unknown): void {
    this.#expected = this.#sink.depth === 0 ? 'nothing' : 'comma or close';
    this.#sink.value(value);
  }
}

function wordValue(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    throw new BrokenJson();
  }
}

/** End of the number or literal that begins at `from`, looking at most one byte past the longest allowed word. */
function wordEnd(bytes: Uint8Array, from: number): number {
  let end = from + 1;
  const far = Math.min(bytes.length, from + WORD_BYTES_MAX + 1);
  while (end < far && KINDS[bytes[end] as number] === WORD) end++;
  return end;
}

/** The lowest byte of a plain character. */
const FIRST_PRINTABLE = 0x20;
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const HEX = /^[0-9A-Fa-f]{4}$/;

/** Where a text stops being JSON. */
class BrokenJson extends Error {
  readonly defect: Defect;
  /** Among the bytes that are being read; null: at the token that is being read. */
  readonly at: number | null;

  constructor(defect: Defect = 'unexpected', at: number | null = null) {
    super(defect);
    this.defect = defect;
    this.at = at;
  }
}

/** The first defect of a string's content that does not parse, whose escapes are complete. */
function brokenString(bytes: Buffer, from: number, to: number): BrokenJson {
  for (let at = from; at < to; at++) {
    if ((bytes[at] as number) < FIRST_PRINTABLE) return new BrokenJson('control', at);
    if (bytes[at] !== BACKSLASH) continue;
    const escaped = bytes[at + 1] as number;
    const isCode = escaped === LETTER_U && at + 6 <= to && HEX.test(bytes.toString('latin1', at + 2, at + 6));
    if (!isCode && !ESCAPES.has(escaped)) return new BrokenJson('escape', at);
    at += isCode ? 5 : 1;
  }
  return new BrokenJson('unexpected', from);
}
