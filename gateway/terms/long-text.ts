/**
 * A long string of a JSON text, kept as its beginning and the bytes behind it as they arrived, escapes and all: generated
 * pictures and speech are passed on without becoming one string, which would stall the event loop for 0.1 s per 15 MB.
 */
export class LongText {
  /** Decoded. */
  readonly head: string;
  /** The characters behind the head in JSON form, cut between escapes. */
  readonly rest: readonly Buffer[];
  /** Characters, once decoded. */
  readonly length: number;
  readonly isBase64: boolean;

  constructor(parts: Pick<LongText, 'head' | 'rest' | 'length' | 'isBase64'>) {
    this.head = parts.head;
    this.rest = parts.rest;
    this.length = parts.length;
    this.isBase64 = parts.isBase64;
  }

  /** The text, piece by piece. */
  *texts(): Iterable<string> {
    yield this.head;
    for (const bytes of this.rest) yield decoded(bytes);
  }

  /** As of a string, with positions that are not negative. Decodes as far as `to`. */
  slice(from: number, to: number): string {
    let text = '';
    for (const piece of this.texts()) {
      text += piece;
      if (text.length >= to) break;
    }
    return text.slice(from, to);
  }

  startingWith(text: string): LongText {
    return new LongText({ ...this, head: text + this.head, length: text.length + this.length });
  }

  toString(): string {
    return [...this.texts()].join('');
  }

  toJSON(): string {
    return this.toString();
  }
}

function decoded(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
