import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import type { OutboundBody, OutboundLimits, OutboundReply } from './outbound.ts';
import { OutboundError, type OutboundFailure } from './outbound-error.ts';

/** Bytes waiting to be read before the sender is told to wait. */
const WAITING_BYTES_MAX = 64 * 1024;

/** A total time of which this share was spent on waiting for our reader was not the sender's to use. */
const UNREAD_SHARE = 0.25;

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: OutboundError): void;
}

/**
 * One request and its answer: the HTTP client's callbacks on one side, a pulled body on the other. Holds at most one
 * armed timer, whatever phase it is in, and at most a bounded number of unread bytes. Settles exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler, OutboundReply, OutboundBody {
  status = 0;
  /** All connections to its origin were in use: what it waits for is one of ours, not the server. */
  queued = false;
  readonly #clock: Clock;
  readonly #limits: OutboundLimits;
  readonly #ended: () => void;
  readonly #startedAt: number;
  #head: Waiter<OutboundReply>;
  #phase: 'connecting' | 'waiting' | 'body' | 'ended' = 'connecting';
  #headers: readonly Buffer[] = [];
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #progressAt: number;
  #reader: Waiter<readonly Uint8Array[] | null> | null = null;
  #error: OutboundError | null = null;
  #timer: Cancel | null = null;
  #abort: ((reason?: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #paused = false;
  /** Since when something waits to be read, and for how long it did before. */
  #unreadSince = 0;
  #unreadMs = 0;

  constructor(clock: Clock, limits: OutboundLimits, head: Waiter<OutboundReply>, ended: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#head = head;
    this.#ended = ended;
    this.#startedAt = clock.monotonic();
    this.#progressAt = this.#startedAt;
  }

  /** Called once it was handed over: on a warm connection it is sent by then, and one timer does for both waits. */
  watch(): void {
    if (this.#phase !== 'ended') this.#arm();
  }

  get body(): OutboundBody {
    return this;
  }

  header(name: string): string | null {
    const headers = this.#headers;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      if (headers[i]?.length !== name.length || headers[i]?.toString('latin1').toLowerCase() !== name) continue;
      return (headers[i + 1] as Buffer).toString('latin1');
    }
    return null;
  }

  // What the HTTP client calls.

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#phase === 'ended') {
      abort();
      return;
    }
    this.#abort = abort;
    this.#phase = 'waiting';
    this.#progressAt = this.#clock.monotonic();
    if (this.#timer) this.#arm();
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    if (status < 200 || this.#phase === 'ended') return true;
    this.#resume = resume;
    this.#headers = headers;
    this.status = status;
    const encoding = this.header('content-encoding');
    if (encoding !== null && encoding !== '' && encoding.toLowerCase() !== 'identity') {
      this.#fail('encoded', 'the answer came with a content-encoding');
      return true;
    }
    this.#phase = 'body';
    this.#progressAt = this.#clock.monotonic();
    // A timer that comes too early arms itself again; one that would come too late has to be replaced.
    if (this.#limits.idleMs < this.#limits.firstByteMs) this.#arm();
    this.#head.resolve(this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#phase !== 'body') return true;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.bodyBytesMax) {
      this.#fail('malformed', `the answer is larger than ${this.#limits.bodyBytesMax} bytes`);
      return true;
    }
    const reader = this.#reader;
    if (reader) {
      this.#reader = null;
      reader.resolve([chunk]);
      return true;
    }
    if (this.#chunks.length === 0) this.#unreadSince = this.#clock.monotonic();
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#paused = this.#waitingBytes >= WAITING_BYTES_MAX;
    return !this.#paused;
  }

  onComplete(): void {
    if (this.#phase === 'ended') return;
    this.#end();
    const reader = this.#reader;
    this.#reader = null;
    reader?.resolve(null);
  }

  onError(error: Error): void {
    const failure = this.#phase === 'connecting' ? 'connect' : isMalformed(error) ? 'malformed' : 'reset';
    this.#fail(failure, error.message);
  }

  // What the reader calls.

  read(): Promise<readonly Uint8Array[] | null> {
    if (this.#chunks.length > 0) {
      const chunks = this.#chunks;
      this.#chunks = [];
      this.#unreadMs += this.#clock.monotonic() - this.#unreadSince;
      this.#waitingBytes = 0;
      if (this.#paused) {
        this.#paused = false;
        this.#resume?.();
      }
      return Promise.resolve(chunks);
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.#phase === 'ended') return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async text(): Promise<string> {
    const all: Uint8Array[] = [];
    for (;;) {
      const chunks = await this.read();
      if (chunks === null) break;
      for (const chunk of chunks) all.push(chunk);
      this.progressed();
    }
    return (all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all)).toString('utf8');
  }

  progressed(): void {
    this.#progressAt = this.#clock.monotonic();
  }

  readonly abort = (): void => {
    this.#fail('aborted', 'called off');
  };

  // Time.

  readonly #expire = (): void => {
    const now = this.#clock.monotonic();
    // What waits unread is our reader's slowness, not the sender's.
    if (this.#chunks.length > 0) this.#progressAt = now;
    if (now - this.#startedAt >= this.#limits.totalMs) {
      // Who was made to wait is not late: otherwise slow readers could have any server taken for a slow one.
      const unreadMs = this.#unreadMs + (this.#chunks.length > 0 ? now - this.#unreadSince : 0);
      const failure = unreadMs < this.#limits.totalMs * UNREAD_SHARE ? 'total-timeout' : 'aborted';
      this.#fail(failure, `no end within ${this.#limits.totalMs} ms`);
    } else if (now - this.#progressAt < this.#phaseMs()) {
      this.#arm();
    } else if (this.#phase === 'connecting') {
      this.#fail(this.queued ? 'saturated' : 'connect-timeout', `no connection within ${this.#limits.connectMs} ms`);
    } else if (this.#phase === 'waiting') {
      this.#fail('first-byte-timeout', `no answer within ${this.#limits.firstByteMs} ms`);
    } else {
      this.#fail('idle-timeout', `nothing of worth for ${this.#limits.idleMs} ms`);
    }
  };

  #phaseMs(): number {
    if (this.#phase === 'connecting') return this.#limits.connectMs;
    return this.#phase === 'waiting' ? this.#limits.firstByteMs : this.#limits.idleMs;
  }

  /** Re-arms for whichever comes first, the end of this phase or of the whole; a timer too early re-arms itself. */
  #arm(): void {
    this.#timer?.();
    const now = this.#clock.monotonic();
    const phaseLeft = this.#progressAt + this.#phaseMs() - now;
    const totalLeft = this.#startedAt + this.#limits.totalMs - now;
    this.#timer = this.#clock.after(Math.max(1, Math.min(phaseLeft, totalLeft)), this.#expire);
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
    this.#abort?.(this.#error);
  }

  #end(): void {
    this.#phase = 'ended';
    this.#timer?.();
    this.#ended();
  }
}

function isMalformed(error: Error): boolean {
  return error.name === 'HTTPParserError' || error.name === 'HeadersOverflowError';
}
