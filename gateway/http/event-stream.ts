import type { ServerResponse } from 'node:http';
import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import { drained } from './drained.ts';

export interface EventStreamLimits {
  readonly keepAliveCommentMs: number;
  readonly streamBufferBytesMax: number;
  readonly streamStalledMs: number;
}

/** UTF-8 bytes per UTF-16 unit, at most. */
const BYTES_PER_CHARACTER_MAX = 3;

/** Texts of a stream that are no parts of an answer. */
export interface EventStreamTexts {
  /** Sent when it opens; '' where something else is written at once. */
  readonly opening: string;
  /** Sent whenever nothing was sent for a while. `silentMs`: since the last frame; comments are none. */
  readonly keepAlive: (silentMs: number) => string;
}

/**
 * One `text/event-stream` answer. It sends its opening, and a keep-alive whenever nothing was sent for a while. At most
 * `streamBufferBytesMax` wait in the connection for a slow reader: the producer is held back, larger texts are sent in
 * pieces, and a reader that takes no piece within `streamStalledMs` is cut. It is independent of the frame format.
 * (rule I52, rule E30)
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #limits: EventStreamLimits;
  readonly #texts: EventStreamTexts;
  #cancelComment: Cancel;
  #lastWriteAt: number;
  #lastFrameAt: number;
  /** Longer texts are sent in pieces of this many bytes; one character takes up to three bytes. */
  readonly #pieceMax: number;
  /** The text being sent in pieces; no other write may interleave. */
  #pieces: Promise<void> | null = null;

  /** Sends status 200 and the opening; from here on every failure is in-band. */
  constructor(response: ServerResponse, clock: Clock, limits: EventStreamLimits, texts: EventStreamTexts) {
    this.#response = response;
    this.#clock = clock;
    this.#limits = limits;
    this.#texts = texts;
    this.#pieceMax = Math.max(1, Math.floor(limits.streamBufferBytesMax / BYTES_PER_CHARACTER_MAX));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    if (texts.opening !== '') response.write(texts.opening);
    this.#lastWriteAt = clock.monotonic();
    this.#lastFrameAt = this.#lastWriteAt;
    this.#cancelComment = clock.after(limits.keepAliveCommentMs, this.#comment);
    response.once('close', () => this.#cancelComment());
  }

  /** False once the client has left or was cut. */
  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /**
   * Sends whole frames, or nothing for ''. Null: continue. A promise: wait for it before producing more; it resolves
   * when the client has caught up or the stream has ended.
   */
  write(frames: string): Promise<void> | null {
    if (frames === '' || !this.open) return null;
    this.#lastFrameAt = this.#clock.monotonic();
    // A keep-alive may still be on its way in pieces.
    return this.#pieces === null ? this.#send(frames) : this.#pieces.then(() => this.#send(frames) ?? undefined);
  }

  #send(frames: string): Promise<void> | null {
    if (!this.open) return null;
    this.#lastWriteAt = this.#clock.monotonic();
    if (frames.length <= this.#pieceMax) return this.#response.write(frames) ? null : this.#drained();
    this.#pieces = this.#writeInPieces(frames);
    return this.#pieces;
  }

  /** Ends the stream; resolves when the last byte was handed to the operating system, or the client was lost. */
  async end(frames: string): Promise<void> {
    if (this.#pieces !== null) await this.#pieces;
    this.#cancelComment();
    // A long text is sent in pieces first: its client may take `streamStalledMs` for each of them.
    const isLong = frames.length > this.#pieceMax;
    if (isLong) await this.#send(frames);
    await new Promise<void>((resolve) => {
      if (!this.open) return resolve();
      const stopWaiting = this.#clock.after(this.#limits.streamStalledMs, () => this.cut());
      const done = (): void => {
        stopWaiting();
        this.#response.off('close', done);
        resolve();
      };
      this.#response.once('close', done);
      this.#response.end(isLong ? '' : frames, done);
    });
  }

  /** Drops the connection. */
  cut(): void {
    this.#cancelComment();
    this.#response.destroy();
  }

  async #writeInPieces(frames: string): Promise<void> {
    const bytes = Buffer.from(frames);
    for (let at = 0; at < bytes.length && this.open; at += this.#pieceMax) {
      this.#lastWriteAt = this.#clock.monotonic();
      if (!this.#response.write(bytes.subarray(at, at + this.#pieceMax))) await this.#drained();
    }
    this.#pieces = null;
  }

  readonly #comment = (): void => {
    if (!this.open) return;
    const { keepAliveCommentMs } = this.#limits;
    const silentMs = this.#clock.monotonic() - this.#lastWriteAt;
    if (silentMs < keepAliveCommentMs) {
      this.#cancelComment = this.#clock.after(keepAliveCommentMs - silentMs, this.#comment);
      return;
    }
    // Skip the comment if the reader is behind, or between the pieces of a frame.
    if (this.#response.writableLength === 0 && this.#pieces === null) this.#keepAlive();
    this.#lastWriteAt = this.#clock.monotonic();
    this.#cancelComment = this.#clock.after(keepAliveCommentMs, this.#comment);
  };

  /** The producer is not held back: the reader has read everything before. */
  #keepAlive(): void {
    const text = this.#texts.keepAlive(this.#clock.monotonic() - this.#lastFrameAt);
    if (text.startsWith(':')) this.#response.write(text);
    else void this.write(text);
  }

  #drained(): Promise<void> {
    return drained(this.#response, this.#clock, this.#limits.streamStalledMs);
  }
}
