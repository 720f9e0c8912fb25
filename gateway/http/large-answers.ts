import type { ServerResponse } from 'node:http';
import { type Clock, freeBytes } from '../../actors/runtime/index.ts';
import { type JsonPart, lengthOf, writeInShares } from '../json/write-in-shares.ts';
import { type LoopWork, loopWork } from '../overload/loop-work.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import { writeAnswer } from './write-answer.ts';
import { type StreamOptions, writeStream } from './write-stream.ts';

/** Smaller answers fit the socket buffers: they are written at once and not counted. */
const LARGE_LENGTH_MIN = 64 * 1024;
/** A client takes a piece within `streamStalledMs`, about 1 KiB/s, or is disconnected. */
const PIECE_BYTES = 64 * 1024;
/** Pieces of bytes that answers share: each write costs time, and a waiting piece costs no memory. About 4 KiB/s. */
const SHARED_PIECE_BYTES = 256 * 1024;

/**
 * Writes whole answers. Images and speech make some of them large: these are written in pieces, as fast as their client
 * reads, and count against the bytes that unread answers of the node may have together. Above that bound the oldest one
 * is cut, whose client has had the most time. (rule E31)
 */
export class LargeAnswers {
  readonly #clock: Clock;
  readonly #loop: LoopWork;
  readonly #limits: Pick<EdgeLimits, 'streamStalledMs' | 'unreadBytesMax'>;
  /** Bytes of the answers under way, oldest first. */
  readonly #unread = new Map<ServerResponse, number>();
  #bytes = 0;

  constructor(
    clock: Clock,
    limits: Pick<EdgeLimits, 'streamStalledMs' | 'unreadBytesMax'>,
    loop: LoopWork = loopWork(clock),
  ) {
    this.#clock = clock;
    this.#loop = loop;
    this.#limits = limits;
  }

  /**
   * Writes the answer with status 200; `headers` is a flat list of names and values. A large one becomes bytes in shares
   * of the event loop, and the promise resolves once its head is written.
   */
  write(response: ServerResponse, headers: string[], body: readonly JsonPart[]): Promise<void> | null {
    const [only] = body;
    if (only === undefined || body.length > 1 || only.length >= LARGE_LENGTH_MIN)
      return this.#writeLarge(response, headers, body);
    writeAnswer(response, 200, headers, only);
    return null;
  }

  async #writeLarge(response: ServerResponse, headers: string[], body: readonly JsonPart[]): Promise<void> {
    this.#count(response, lengthOf(body));
    const blocks = await writeInShares(body, this.#loop, () => !response.destroyed);
    if (response.destroyed) return;
    headers.push('content-length', String(lengthOf(blocks)));
    response.writeHead(200, headers);
    // A block is written when its last piece is, since the pieces are written in order.
    let nth = 0;
    let left = blocks[0]?.length ?? 0;
    this.#stream(response, piecesOf(blocks), (piece) => {
      left -= piece.length;
      if (left > 0) return;
      freeBytes(blocks[nth] as Buffer);
      left = blocks[++nth]?.length ?? 0;
    });
  }

  /** Writes bytes that answers to other clients share: unread, they occupy nothing, so they are not counted. */
  writeShared(response: ServerResponse, headers: string[], bytes: Uint8Array): void {
    if (bytes.length <= SHARED_PIECE_BYTES) {
      writeAnswer(response, 200, headers, bytes);
      return;
    }
    headers.push('content-length', String(bytes.length));
    response.writeHead(200, headers);
    this.#stream(response, piecesOf([bytes], SHARED_PIECE_BYTES));
  }

  #stream(response: ServerResponse, pieces: AsyncIterable<Uint8Array>, written?: StreamOptions['written']): void {
    void writeStream(response, pieces, { clock: this.#clock, stalledMs: this.#limits.streamStalledMs, written });
  }

  #count(response: ServerResponse, bytes: number): void {
    this.#bytes += bytes;
    this.#unread.set(response, bytes);
    response.once('close', () => {
      if (this.#unread.delete(response)) this.#bytes -= bytes;
    });
    for (const [oldest, held] of this.#unread) {
      if (this.#bytes <= this.#limits.unreadBytesMax || oldest === response) return;
      this.#unread.delete(oldest);
      this.#bytes -= held;
      oldest.destroy();
    }
  }
}

async function* piecesOf(blocks: readonly Uint8Array[], pieceBytes = PIECE_BYTES): AsyncIterable<Uint8Array> {
  for (const block of blocks) {
    const { length } = block;
    for (let at = 0; at < length; at += pieceBytes) yield block.subarray(at, at + pieceBytes);
  }
}
