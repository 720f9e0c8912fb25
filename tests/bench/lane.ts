import { connect, type Socket } from 'node:net';

/** The result of one request over a lane. Times are monotonic ms. */
export interface LaneResult {
  readonly status: number;
  readonly beganAt: number;
  /** When its bytes were written: later than `beganAt` where the generator was late. */
  readonly sentAt: number;
  /** First frame of a stream, or first byte of the body. */
  readonly firstAt: number;
  readonly endedAt: number;
  /** Number of `data:` frames. */
  readonly frames: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const FRAME = Buffer.from('data: ');

/**
 * One kept-alive HTTP/1.1 connection that repeats one prepared request at minimal cost: the load generator
 * must not be the bottleneck. Reads bodies by content-length or in chunks; anything else is an error.
 */
export class Lane {
  readonly #port: number;
  readonly #request: Buffer;
  #socket: Socket | null = null;
  #done: ((result: LaneResult | null) => void) | null = null;
  #head: Buffer = Buffer.alloc(0);
  #inHead = true;
  #chunked = false;
  /** Remaining bytes of the body, or of the current chunk with its line end. */
  #left = 0;
  #sizeLine = '';
  #lastChunk = false;
  #status = 0;
  #beganAt = 0;
  #sentAt = 0;
  #firstAt = 0;
  #frames = 0;

  constructor(port: number, request: Buffer) {
    this.#port = port;
    this.#request = request;
  }

  /** Sends the request; null if the connection failed before the answer was complete. `beganAt` overrides the start. */
  run(beganAt = performance.now()): Promise<LaneResult | null> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#beganAt = beganAt;
      this.#sentAt = performance.now();
      this.#firstAt = 0;
      this.#frames = 0;
      this.#inHead = true;
      this.#lastChunk = false;
      this.#sizeLine = '';
      this.#connection().write(this.#request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connection(): Socket {
    if (this.#socket) return this.#socket;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#socket = null;
      this.#finish(null);
    });
    this.#socket = socket;
    return socket;
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    if (this.#inHead) {
      const whole = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = whole.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = whole;
        return;
      }
      this.#head = Buffer.alloc(0);
      this.#readHead(whole.toString('latin1', 0, end));
      rest = whole.subarray(end + HEAD_END.length);
    }
    if (rest.length === 0) return void this.#endIfWhole();
    this.#countFrames(rest);
    if (this.#chunked) this.#readChunks(rest);
    else this.#left -= rest.length;
    this.#endIfWhole();
  }

  #readHead(head: string): void {
    this.#inHead = false;
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#chunked = length === null;
    this.#left = length ? Number(length[1]) : 0;
    if (length === null && !/\r\ntransfer-encoding: *chunked/i.test(head)) this.#socket?.destroy();
  }

  #countFrames(bytes: Buffer): void {
    for (let at = bytes.indexOf(FRAME); at >= 0; at = bytes.indexOf(FRAME, at + FRAME.length)) this.#frames++;
    if (this.#firstAt === 0 && (this.#frames > 0 || !this.#chunked)) this.#firstAt = performance.now();
  }

  #readChunks(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, bytes.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      const end = bytes.indexOf(0x0a, at);
      this.#sizeLine += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
      if (end < 0) return;
      at = end + 1;
      const size = Number.parseInt(this.#sizeLine, 16);
      this.#sizeLine = '';
      this.#left = size + 2;
      if (size === 0) this.#lastChunk = true;
    }
  }

  #endIfWhole(): void {
    if (this.#inHead || this.#left > 0 || (this.#chunked && !this.#lastChunk)) return;
    const endedAt = performance.now();
    this.#finish({
      status: this.#status,
      beganAt: this.#beganAt,
      sentAt: this.#sentAt,
      firstAt: this.#firstAt || endedAt,
      endedAt,
      frames: this.#frames,
    });
  }

  #finish(result: LaneResult | null): void {
    const done = this.#done;
    this.#done = null;
    done?.(result);
  }
}
