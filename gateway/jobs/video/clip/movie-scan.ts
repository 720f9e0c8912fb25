import { boxHead, boxHeadBytes } from './box-walk.ts';
import { UnreadableClip } from './unreadable-clip.ts';

/** Bounds of what a delivered file may consist of; a real clip is far below each. */
const HEAD_BYTES_MAX = 2 * 1_024 * 1_024;
const FRAGMENT_BYTES_MAX = 256 * 1_024;
const TOP_BOXES_MAX = 8_192;
const SMALLEST_HEAD = 8;

/** What the scan hands on: the tables of the movie, complete, and those of each fragment. */
interface MovieParts {
  readonly head: (box: Buffer) => void;
  readonly fragment: (box: Buffer) => void;
}

/**
 * Follows the top-level boxes of passing bytes and collects only the tables (`moov`, `moof`), wherever they stand.
 * Constant memory: one box of tables at a time, of at most 2 MiB.
 */
export class MovieScan {
  /** Bytes of media data that passed. */
  dataBytes = 0;
  readonly #parts: MovieParts;
  #boxes = 0;
  /** Bytes of a box head, or of a box of tables, that are not complete. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = SMALLEST_HEAD;
  #collecting: 'moov' | 'moof' | null = null;
  /** Bytes of the current box that pass unread; infinite for one that reaches to the end. */
  #skip = 0;
  #skipsData = false;

  constructor(parts: MovieParts) {
    this.#parts = parts;
  }

  read(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, piece.length - at);
        if (this.#skipsData) this.dataBytes += passed;
        this.#skip -= passed;
        at += passed;
        continue;
      }
      const part = piece.subarray(at, at + this.#wanted - this.#heldBytes);
      // Copied: the pieces of a connection share memory with others.
      this.#held.push(Buffer.from(part));
      this.#heldBytes += part.length;
      at += part.length;
      if (this.#heldBytes === this.#wanted) this.#take();
    }
  }

  /** Throws unless the bytes ended with a box. */
  end(): void {
    const cut = this.#heldBytes > 0 || (this.#skip > 0 && this.#skip !== Number.POSITIVE_INFINITY);
    if (cut || this.#boxes === 0) throw new UnreadableClip('the file ends within a box');
  }

  #take(): void {
    const bytes = Buffer.concat(this.#held);
    if (this.#collecting !== null) {
      const give = this.#collecting === 'moov' ? this.#parts.head : this.#parts.fragment;
      this.#reset();
      give(bytes);
      return;
    }
    if (bytes.length < boxHeadBytes(bytes)) {
      this.#held = [bytes];
      this.#wanted = boxHeadBytes(bytes);
      return;
    }
    this.#begin(bytes);
  }

  #begin(bytes: Buffer): void {
    const { size, head, type } = boxHead(bytes, 0);
    if (this.#boxes === 0 && type !== 'ftyp') throw new UnreadableClip('the file does not begin as an MP4');
    if (++this.#boxes > TOP_BOXES_MAX) throw new UnreadableClip(`more than ${TOP_BOXES_MAX} boxes`);
    if (size !== 0 && size < head) throw new UnreadableClip(`the box ${type} has no real size`);
    if (type === 'moov' || type === 'moof') {
      const max = type === 'moov' ? HEAD_BYTES_MAX : FRAGMENT_BYTES_MAX;
      if (size === 0 || size > max) throw new UnreadableClip(`the box ${type} is larger than ${max} bytes`);
      this.#held = [bytes];
      this.#wanted = size;
      this.#collecting = type;
      if (size === head) this.#take();
      return;
    }
    this.#reset();
    this.#skip = size === 0 ? Number.POSITIVE_INFINITY : size - head;
    this.#skipsData = type === 'mdat';
  }

  #reset(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#wanted = SMALLEST_HEAD;
    this.#collecting = null;
  }
}
