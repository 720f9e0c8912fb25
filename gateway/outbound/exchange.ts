import type { Dispatcher } from 'undici';
import type { Clock } from '../../actors/runtime/index.ts';
import { BlockBuffer } from './body-buffers.ts';
import type { Bounded, Deadlines } from './deadlines.ts';
import { type Lease, WITHOUT_LEASE } from './lease.ts';
import type { OutboundBody, OutboundLimits, OutboundReply } from './outbound.ts';
import { OutboundError, type OutboundFailure, systemText } from './outbound-error.ts';

/** Unread bytes at which the exchange pauses the sender. */
const WAITING_BYTES_MAX = 64 * 1024;

/** Interim answers (1xx) before an answer; servers send one, or a few early hints. */
const INTERIM_MAX = 16;

/** A total time-out counts against the sender only if less than this share of the time was spent on unread bytes. */
const UNREAD_SHARE = 0.25;

/** By lower-case name; a list where one repeats. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: OutboundError): void;
}

export interface ExchangeParts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly lease: Lease;
}

/**
 * One request and its answer: the HTTP client's callbacks on one side, a pulled body on the other. Bounds every wait in
 * every phase, and the unread bytes. Settles exactly once. The callbacks are those that undici 7 and 8 share.
 */
export class Exchange implements Dispatcher.DispatchHandler, OutboundReply, OutboundBody, Bounded {
  status = 0;
  /** All connections to its origin were in use, so it waits for one of our connections and not for the server. */
  queued = false;
  /** Called once, when the HTTP client has finished with it: at its end, or later for an aborted call. */
  freed: () => void = nothing;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #lease: Lease;
  readonly #place: number;
  readonly #limits: OutboundLimits;
  readonly #ended: () => void;
  readonly #startedAt: number;
  #head: Waiter<OutboundReply>;
  #phase: 'connecting' | 'waiting' | 'body' | 'ended' = 'connecting';
  #headers: Headers = {};
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #interim = 0;
  #progressAt: number;
  #reader: Waiter<readonly Uint8Array[] | null> | null = null;
  #error: OutboundError | null = null;
  /** Null until the request is on a connection. */
  #controller: Dispatcher.DispatchController | null = null;
  /** When the oldest unread bytes arrived, and how long earlier bytes waited to be read. */
  #unreadSince = 0;
  #unreadMs = 0;

  constructor(
    { clock, deadlines, lease }: ExchangeParts,
    limits: OutboundLimits,
    head: Waiter<OutboundReply>,
    ended: () => void,
  ) {
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#lease = lease;
    this.#limits = limits;
    this.#head = head;
    this.#ended = ended;
    this.#startedAt = clock.monotonic();
    this.#progressAt = this.#startedAt;
    this.#place = deadlines.add(this, this.#dueMs());
  }

  get isOver(): boolean {
    return this.#phase === 'ended';
  }

  get body(): OutboundBody {
    return this;
  }

  header(name: string): string | null {
    const value = this.#headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  }

  // Callbacks of the HTTP client.

  /** Called just before the request is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#lease.connected) this.#fail('aborted', WITHOUT_LEASE);
    if (this.#phase === 'ended') {
      controller.abort(this.#error ?? new OutboundError('aborted', 'the call was aborted'));
      return;
    }
    this.#controller = controller;
    this.#phase = 'waiting';
    this.#progressAt = this.#clock.monotonic();
    this.#deadlines.by(this.#dueMs());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (this.#phase === 'ended') return;
    if (status < 200) {
      if (++this.#interim > INTERIM_MAX) this.#fail('malformed', `more than ${INTERIM_MAX} interim answers`);
      return;
    }
    this.#headers = headers;
    this.status = status;
    const encoding = this.header('content-encoding');
    if (encoding !== null && encoding !== '' && encoding.toLowerCase() !== 'identity') {
      this.#fail('encoded', 'the answer has a content-encoding');
      return;
    }
    this.#phase = 'body';
    this.#progressAt = this.#clock.monotonic();
    this.#deadlines.by(this.#dueMs());
    this.#head.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== 'body') return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.bodyBytesMax) {
      this.#fail('malformed', `the answer is larger than ${this.#limits.bodyBytesMax} bytes`);
      return;
    }
    const reader = this.#reader;
    if (reader) {
      this.#reader = null;
      reader.resolve([chunk]);
      return;
    }
    if (this.#chunks.length === 0) this.#unreadSince = this.#clock.monotonic();
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= WAITING_BYTES_MAX) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#phase === 'ended') {
      this.#free();
      return;
    }
    this.#end();
    const reader = this.#reader;
    this.#reader = null;
    reader?.resolve(null);
    this.#free();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const failure = this.#phase === 'connecting' ? 'connect' : isMalformed(error) ? 'malformed' : 'reset';
    this.#fail(failure, systemText(error));
    this.#free();
  }

  // Methods for the reader.

  read(): Promise<readonly Uint8Array[] | null> {
    if (this.#chunks.length > 0) return Promise.resolve(this.#takeChunks());
    if (this.#error) return Promise.reject(this.#error);
    if (this.#phase === 'ended') return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  text(): Promise<string> {
    // Most answers have arrived completely by the time their head is examined.
    if (this.#phase === 'ended' && this.#error === null) return Promise.resolve(textOf(this.#takeChunks()));
    return this.#gather();
  }

  progressed(): void {
    this.#progressAt = this.#clock.monotonic();
  }

  readonly abort = (): void => {
    this.#fail('aborted', 'the call was aborted');
  };

  // Time.

  expire(nowMs: number): number {
    // Unread bytes mean that our reader is slow, so the sender's idle time starts again.
    if (this.#chunks.length > 0) this.#progressAt = nowMs;
    const dueMs = this.#dueMs();
    if (nowMs < dueMs) return dueMs;
    if (nowMs - this.#startedAt >= this.#limits.totalMs) {
      // A sender that we paused is not late: otherwise slow readers would make a healthy server look slow.
      const unreadMs = this.#unreadMs + (this.#chunks.length > 0 ? nowMs - this.#unreadSince : 0);
      const failure = unreadMs < this.#limits.totalMs * UNREAD_SHARE ? 'total-timeout' : 'aborted';
      this.#fail(failure, `the answer did not end within ${this.#limits.totalMs} ms`);
    } else if (this.#phase === 'connecting') {
      this.#fail(this.queued ? 'saturated' : 'connect-timeout', `no connection within ${this.#limits.connectMs} ms`);
    } else if (this.#phase === 'waiting') {
      this.#fail('first-byte-timeout', `no answer within ${this.#limits.firstByteMs} ms`);
    } else {
      this.#fail('idle-timeout', `no progress for ${this.#limits.idleMs} ms`);
    }
    return Number.POSITIVE_INFINITY;
  }

  #phaseMs(): number {
    if (this.#phase === 'connecting') return this.#limits.connectMs;
    return this.#phase === 'waiting' ? this.#limits.firstByteMs : this.#limits.idleMs;
  }

  /** Monotonic ms of the earlier of two deadlines: that of this phase and that of the whole call. */
  #dueMs(): number {
    return Math.min(this.#progressAt + this.#phaseMs(), this.#startedAt + this.#limits.totalMs);
  }

  async #gather(): Promise<string> {
    const all = new BlockBuffer();
    for (;;) {
      const chunks = await this.read();
      if (chunks === null) return textOf(all.take());
      for (const chunk of chunks) all.add(chunk);
      this.progressed();
    }
  }

  #takeChunks(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#waitingBytes = 0;
    if (chunks.length > 0) this.#unreadMs += this.#clock.monotonic() - this.#unreadSince;
    if (this.#controller?.paused) this.#controller.resume();
    return chunks;
  }

  #fail(failure: OutboundFailure, message: string): void {
    if (this.#phase === 'ended') return;
    const headPending = this.#phase !== 'body';
    this.#end();
    this.#error = new OutboundError(failure, message);
    if (headPending) this.#head.reject(this.#error);
    const reader = this.#reader;
    this.#reader = null;
    reader?.reject(this.#error);
    this.#controller?.abort(this.#error);
  }

  #free(): void {
    const { freed } = this;
    this.freed = nothing;
    freed();
  }

  #end(): void {
    this.#phase = 'ended';
    this.#deadlines.take(this.#place);
    this.#ended();
  }
}

function nothing(): void {}

function textOf(chunks: readonly Uint8Array[]): string {
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8');
}

function isMalformed(error: Error): boolean {
  return error.name === 'HTTPParserError' || error.name === 'HeadersOverflowError';
}
