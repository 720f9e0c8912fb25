import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** Headers of the opening request that hold for every request inside the socket. */
const KEPT = ['x-session-id', 'x-title', 'x-vendor-title', 'http-referer', 'x-forwarded-for'] as const;

const PIECE_BYTES = 64 * 1024;

/**
 * One frame of a WebSocket as a request: the edge reads, counts and refuses it as it does a body over HTTP. It has what
 * the edge uses of a request and no more.
 */
export class FrameRequest extends Readable {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** Nothing of it is still to arrive. */
  readonly complete = true;
  readonly #bytes: Buffer;
  #read = 0;

  constructor(opening: IncomingMessage, bytes: Buffer) {
    super();
    this.url = opening.url ?? '/';
    this.socket = opening.socket;
    const kept = KEPT.flatMap((name) => (opening.headers[name] === undefined ? [] : [[name, opening.headers[name]]]));
    this.headers = { ...Object.fromEntries(kept), 'content-length': String(bytes.length) };
    this.#bytes = bytes;
    // A small body is there before it is read, as one that arrived with its head.
    this._read();
  }

  /** In pieces of the size in which a body arrives over HTTP, so that no large one is scanned in one turn of the loop. */
  override _read(): void {
    const piece = this.#bytes.subarray(this.#read, this.#read + PIECE_BYTES);
    this.#read += piece.length;
    this.push(piece);
    if (this.#read === this.#bytes.length) this.push(null);
  }
}
