/**
 * One array parameter in PostgreSQL's binary format. A commit sends thousands of JSON texts, and the text format would
 * escape each of their quotes. The buffer grows as elements are added; null is an element.
 */
const OIDS = { boolean: 16, bigint: 20, integer: 23, text: 25, double: 701 } as const;
export type ElementType = keyof typeof OIDS;

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
/** Maximum UTF-8 bytes per UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
const START_BYTES = 256;

export class ArrayColumn {
  readonly #type: ElementType;
  #bytes = Buffer.allocUnsafe(START_BYTES);
  #end = HEAD_BYTES;
  #length = 0;
  #nulls = 0;

  constructor(type: ElementType) {
    this.#type = type;
  }

  get length(): number {
    return this.#length;
  }

  add(value: string | number | boolean | null): void {
    this.#length++;
    if (value === null) this.#addNull();
    else if (typeof value === 'string') this.#addText(value);
    else this.#addFixed(Number(value));
  }

  /** Returns the finished parameter. Add nothing afterwards. */
  end(): Buffer {
    const bytes = this.#bytes;
    const dimensions = this.#length === 0 ? 0 : 1;
    bytes.writeInt32BE(dimensions, 0);
    bytes.writeInt32BE(this.#nulls > 0 ? 1 : 0, 4);
    bytes.writeInt32BE(OIDS[this.#type], 8);
    if (dimensions === 0) return bytes.subarray(0, 12);
    bytes.writeInt32BE(this.#length, 12);
    bytes.writeInt32BE(1, 16);
    return bytes.subarray(0, this.#end);
  }

  #addNull(): void {
    this.#nulls++;
    this.#room(LENGTH_BYTES);
    this.#end = this.#bytes.writeInt32BE(-1, this.#end);
  }

  #addText(text: string): void {
    this.#room(LENGTH_BYTES + text.length * UTF8_BYTES_MAX);
    const written = this.#bytes.write(text, this.#end + LENGTH_BYTES, 'utf8');
    this.#bytes.writeInt32BE(written, this.#end);
    this.#end += LENGTH_BYTES + written;
  }

  #addFixed(value: number): void {
    this.#room(LENGTH_BYTES + 8);
    const bytes = this.#bytes;
    const at = this.#end + LENGTH_BYTES;
    let end: number;
    if (this.#type === 'boolean') end = bytes.writeUInt8(value, at);
    else if (this.#type === 'integer') end = bytes.writeInt32BE(value, at);
    else if (this.#type === 'double') end = bytes.writeDoubleBE(value, at);
    else end = bytes.writeBigInt64BE(BigInt(value), at);
    bytes.writeInt32BE(end - at, this.#end);
    this.#end = end;
  }

  #room(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + bytes));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
