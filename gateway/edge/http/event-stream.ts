import type { ServerResponse } from 'node:http';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import { KEEP_ALIVE, PROCESSING } from '../../dialects/chat/frames.ts';

export interface EventStreamLimits {
  readonly keepAliveCommentMs: number;
  readonly streamBufferBytesMax: number;
  readonly streamStalledMs: number;
}

/**
 * One `text/event-stream` answer. Promises a first comment, a comment whenever nothing was sent for a while, and that no
 * more than `streamBufferBytesMax` ever waits for a slow reader: whoever does not read is cut. It writes what it is
 * given and knows no frame. A comment ends in a single line end: some readers take a blank line for an event.
 * (spec: inference, Chat stream 1; conventions 0.2; reliability X29)
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #limits: EventStreamLimits;
  #stopComments: Cancel;
  #lastWriteAt: number;

  /** Sends status 200 and the first comment: from here on every failure is in-band. */
  constructor(response: ServerResponse, clock: Clock, limits: EventStreamLimits) {
    this.#response = response;
    this.#clock = clock;
    this.#limits = limits;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    response.write(PROCESSING);
    this.#lastWriteAt = clock.monotonic();
    this.#stopComments = clock.after(limits.keepAliveCommentMs, this.#comment);
  }

  /** False once the reader is gone or was cut. */
  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /**
   * Sends whole frames. Null: go on. A promise: wait for it before producing more; it resolves when the reader caught
   * up or the stream has ended.
   */
  write(frames: string): Promise<void> | null {
    if (!this.open) return null;
    this.#lastWriteAt = this.#clock.monotonic();
    if (this.#response.write(frames)) return null;
    if (this.#response.writableLength <= this.#limits.streamBufferBytesMax) return this.#drained();
    this.cut();
    return null;
  }

  /** Ends in order; resolves when the last byte was handed to the operating system, or the reader was lost. */
  end(frames: string): Promise<void> {
    this.#stopComments();
    return new Promise((resolve) => {
      if (!this.open) return resolve();
      this.#response.once('close', resolve);
      this.#response.end(frames, () => resolve());
    });
  }

  /** Drops the connection. */
  cut(): void {
    this.#stopComments();
    this.#response.destroy();
  }

  /** No more comments: the stream is about to end, or nobody reads it. */
  stop(): void {
    this.#stopComments();
  }

  readonly #comment = (): void => {
    if (!this.open) return;
    const { keepAliveCommentMs } = this.#limits;
    const silentMs = this.#clock.monotonic() - this.#lastWriteAt;
    if (silentMs < keepAliveCommentMs) {
      this.#stopComments = this.#clock.after(keepAliveCommentMs - silentMs, this.#comment);
      return;
    }
    // Nothing is added for a reader that is behind already.
    if (this.#response.writableLength === 0) this.#response.write(KEEP_ALIVE);
    this.#lastWriteAt = this.#clock.monotonic();
    this.#stopComments = this.#clock.after(keepAliveCommentMs, this.#comment);
  };

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const response = this.#response;
      const stopWaiting = this.#clock.after(this.#limits.streamStalledMs, () => this.cut());
      const done = (): void => {
        stopWaiting();
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }
}
