import { fileTypeFromBuffer } from 'file-type';
import { mediaTypeName } from '../terms/media-type-name.ts';
import { Utf8Reader } from './utf8-reader.ts';

/** The signatures of all types lie within this many first bytes, but for rare archives. */
const HEAD_BYTES_MAX = 16 * 1024;
const TEXT_TYPE = 'text/plain';
const UNKNOWN_TYPE = 'application/octet-stream';

/** Types whose files may be text throughout. Signatures of other types are too short to prove one against text. */
const WRITTEN_AS_TEXT = /^text\/|^application\/(?:pdf|postscript|rtf|xml)$|\+xml$/;

/** The media type by the signature of the first bytes; null for bytes without a known one. */
export async function mediaTypeOf(head: Uint8Array): Promise<string | null> {
  // The byte order mark of UTF-16 would pass for the first bytes of an MPEG frame.
  if (head[0] === 0xff && head[1] === 0xfe) return null;
  const found = await fileTypeFromBuffer(head);
  return found === undefined ? null : mediaTypeName(found.mime);
}

/**
 * Determines the media type of passing bytes, whatever name or type the client gave: by signature, else UTF-8 text
 * without NUL characters, else unknown. Holds the first bytes only.
 */
export class MediaTypeReader {
  readonly #utf8 = new Utf8Reader();
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #isText = true;

  /** Yields the pieces unchanged. */
  async *pass(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of source) {
      this.#read(piece);
      yield piece;
    }
    this.#isText &&= this.#utf8.end();
  }

  /** The type, once all bytes have passed. */
  async type(): Promise<string> {
    const found = await mediaTypeOf(Buffer.concat(this.#head));
    if (!this.#isText) return found ?? UNKNOWN_TYPE;
    return found !== null && WRITTEN_AS_TEXT.test(found) ? found : TEXT_TYPE;
  }

  #read(piece: Uint8Array): void {
    if (this.#headBytes < HEAD_BYTES_MAX) {
      const head = piece.slice(0, HEAD_BYTES_MAX - this.#headBytes);
      this.#head.push(head);
      this.#headBytes += head.length;
    }
    this.#isText &&= this.#utf8.read(piece) && !piece.includes(0);
  }
}
