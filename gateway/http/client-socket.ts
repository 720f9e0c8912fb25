import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import type { SocketSession } from './exchange.ts';

/** The close codes that a node sends. (RFC 6455, registry of close codes) */
export const CLOSE = {
  idle: 1000,
  wrongData: 1003,
  policy: 1008,
  failure: 1011,
  restart: 1012,
  busy: 1013,
} as const;

const PING_MS = 30_000;
/** A client that does not complete the close handshake within this time is cut. */
const CLOSE_MS = 10_000;
const MINUTE_MS = 60_000;
/** Frames in vain within this time that a socket survives: each costs an answer, and no budget counts it. */
const REFUSED_MAX = 16;
const REFUSED_MS = 10_000;
/** Of the reason in a close frame, which holds 123 bytes of text. */
const REASON_CHARS_MAX = 120;

export interface ClientSocketOptions {
  readonly clock: Clock;
  /** A client that takes nothing of what waits for it is cut after this time per `waitingBytes` that wait, ms. */
  readonly stalledMs: number;
  readonly waitingBytes: number;
  /** Frames of any kind that a client sends in a minute. */
  readonly framesPerMinuteMax: number;
  /** A socket over which nothing is sent in either direction for so long is closed; null: never. */
  readonly idleMs: number | null;
  /** The same in a drain, for a socket whose next frame may be on its way. */
  readonly drainIdleMs: number;
}

/** What speaks over a socket. */
export interface SocketUser {
  /** A whole frame of text. */
  onFrame(frame: Buffer): void;
  /** True while something is under way: the socket is then neither idle nor closed by a drain. */
  readonly isBusy: boolean;
  /** The socket has ended or is being closed: nothing is received or needed any more. Called once. */
  onClose(): void;
}

/**
 * The life of one WebSocket, whatever is said over it: pings, the idle bound, the bound on a stalled reader, the rate
 * of frames, the close handshake, and the end in a drain. Frames are text. What a client leaves unread is bounded by
 * the user of the socket. (rule I98)
 */
export class ClientSocket implements SocketSession {
  readonly #socket: WebSocket;
  readonly #options: ClientSocketOptions;
  readonly #user: SocketUser;
  #cancelTimer: Cancel;
  /** Bytes arrived since the last ping. */
  #heard = true;
  #closing = false;
  #draining = false;
  #usedAt: number;
  /** Frames that have not left the process, and when the last one did. */
  #waiting = 0;
  #progressAt = 0;
  #minuteAt: number;
  #minuteFrames = 0;
  #refusedAt: number;
  #refused = 0;

  /** `connection` is what the socket runs over. */
  constructor(socket: WebSocket, connection: Pick<Socket, 'on'>, options: ClientSocketOptions, user: SocketUser) {
    this.#socket = socket;
    this.#options = options;
    this.#user = user;
    this.#usedAt = options.clock.monotonic();
    this.#minuteAt = this.#usedAt;
    this.#refusedAt = this.#usedAt;
    this.#cancelTimer = options.clock.after(PING_MS, this.#check);
    // Any byte shows that the client lives: it cannot answer a ping in the middle of a large frame.
    connection.on('data', () => {
      this.#heard = true;
    });
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('ping', () => this.#count());
    socket.on('pong', () => this.#count());
    socket.on('error', ignore);
    socket.on('close', () => {
      this.#cancelTimer();
      this.#end();
    });
  }

  /** False once the socket is being closed. */
  get isOpen(): boolean {
    return !this.#closing;
  }

  /** `sent` is called once the frame has left the process, or cannot. */
  send(text: string, sent: (error?: Error | null) => void = ignore): void {
    this.#usedAt = this.#options.clock.monotonic();
    if (this.#waiting++ === 0) this.#progressAt = this.#usedAt;
    this.#socket.send(text, (error) => {
      this.#waiting--;
      this.#progressAt = this.#options.clock.monotonic();
      this.#usedAt = this.#progressAt;
      sent(error);
    });
  }

  /** The client receives what was sent before, then the reason. What it sends from now on is ignored. */
  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(CLOSE_MS, () => this.#socket.terminate());
    this.#socket.close(code, reason.slice(0, REASON_CHARS_MAX));
    this.#end();
  }

  /** Counts a frame that the user refuses by itself. False if the socket is closed for it. */
  refused(): boolean {
    const now = this.#options.clock.monotonic();
    if (now - this.#refusedAt >= REFUSED_MS) {
      this.#refusedAt = now;
      this.#refused = 0;
    }
    if (++this.#refused > REFUSED_MAX) this.close(CLOSE.policy, 'too many refused frames');
    return this.isOpen;
  }

  drain(): void {
    this.#draining = true;
    const { clock, drainIdleMs } = this.#options;
    if (clock.monotonic() - this.#usedAt >= drainIdleMs) this.#restart();
  }

  /** Called by the user when it is no longer busy. */
  rest(): void {
    this.#usedAt = this.#options.clock.monotonic();
    if (this.#draining) this.#restart();
  }

  #restart(): void {
    if (!this.#user.isBusy) this.close(CLOSE.restart, 'the node is restarting');
  }

  #end(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#user.onClose();
  }

  #receive(frame: Buffer, isBinary: boolean): void {
    if (!this.#count()) return;
    this.#usedAt = this.#options.clock.monotonic();
    if (isBinary) this.close(CLOSE.wrongData, 'frames are text');
    else this.#user.onFrame(frame);
  }

  /** False if the frame is not to be read. */
  #count(): boolean {
    const { clock, framesPerMinuteMax } = this.#options;
    const now = clock.monotonic();
    if (now - this.#minuteAt >= MINUTE_MS) {
      this.#minuteAt = now;
      this.#minuteFrames = 0;
    }
    if (++this.#minuteFrames > framesPerMinuteMax) this.close(CLOSE.policy, 'too many frames in a minute');
    return this.isOpen;
  }

  readonly #check = (): void => {
    const { clock, idleMs } = this.#options;
    const isBehind = this.#waiting > 0;
    if (!isBehind && !this.#heard) return void this.#socket.terminate();
    if (isBehind && this.#isStalled()) return void this.close(CLOSE.policy, 'frames were not read');
    const isIdle = idleMs !== null && !this.#user.isBusy && clock.monotonic() - this.#usedAt >= idleMs;
    if (isIdle) return void this.close(CLOSE.idle, 'idle');
    // A client that is behind would read the ping late: it is judged by what it reads.
    this.#heard = isBehind;
    if (!isBehind) this.#socket.ping(ignore);
    this.#cancelTimer = clock.after(PING_MS, this.#check);
  };

  /** A large frame leaves as a whole, so its time grows with its size. */
  #isStalled(): boolean {
    const { clock, stalledMs, waitingBytes } = this.#options;
    const shares = Math.max(1, Math.ceil(this.#socket.bufferedAmount / waitingBytes));
    return clock.monotonic() - this.#progressAt >= stalledMs * shares;
  }
}

function ignore(): void {}
