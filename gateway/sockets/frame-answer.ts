import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The side of a socket that an answer writes to. `sent` is called once the text has left the process, or cannot. */
interface FrameSink {
  send(text: string, sent: (error?: Error | null) => void): void;
}

/** Bytes that wait for a slow reader before the turn is held back. */
const WAITING_BYTES_MAX = 256 * 1024;
const DATA = 'data: ';
const END = '\n\n';
/** The last event of a turn: its client may begin the next one as soon as it arrives. */
const ANSWERED = /^\{"type":"response\.(?:completed|incomplete)"/;
const FAILED = /^\{"type":"response\.failed"/;
/** Headers of a refusal that its client needs. */
const SHOWN = /^(?:retry-after|x-should-retry|x-ratelimit-)/;

/**
 * The answer to one frame of a WebSocket, as a response: each server-sent event becomes a frame with its data, comments
 * are left out, and a refusal becomes one error frame with its status. It has what the edge uses of a response and no
 * more. It ends like one: `close` before the end means that the client has left, or has cancelled.
 */
export class FrameAnswer extends Writable {
  statusCode = 200;
  headersSent = false;
  shouldKeepAlive = true;
  /** Frames sent so far. */
  frames = 0;
  readonly #sink: FrameSink;
  readonly #over: (last?: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #headers: readonly string[] = [];
  /** Pieces of the event that has not ended; joined once, since a large one arrives in many. */
  #pieces: string[] = [];

  /**
   * `over` is called before the last frame is sent, with it unless the turn was refused or failed; the charge of a failed
   * turn may still be pending then.
   */
  constructor(sink: FrameSink, over: (last?: string) => void) {
    super({ highWaterMark: WAITING_BYTES_MAX, decodeStrings: false });
    this.#sink = sink;
    this.#over = over;
  }

  setHeader(): this {
    return this;
  }

  /** `headers`: a flat list of names and values, which a refusal shows in part. */
  writeHead(status: number, headers: readonly string[] | object = []): this {
    this.statusCode = status;
    this.headersSent = true;
    if (Array.isArray(headers)) this.#headers = headers;
    return this;
  }

  override _write(chunk: Buffer | string, _encoding: string, done: (error?: Error | null) => void): void {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    const isWhole = text.includes(END) || (text.startsWith('\n') && this.#pieces.at(-1)?.endsWith('\n') === true);
    this.#pieces.push(text);
    const last = isWhole && this.statusCode === 200 ? this.#sendEvents() : undefined;
    if (last === undefined) done();
    else this.#sink.send(last, done);
  }

  /** Sends the complete events but the last one, which is returned. */
  #sendEvents(): string | undefined {
    const events = this.#pieces.join('').split(END);
    this.#pieces = [events.pop() as string];
    this.frames += events.length;
    const frames = events.map(dataOf);
    const last = frames.pop();
    if (last !== undefined && ANSWERED.test(last)) this.#over(last);
    else if (last !== undefined && FAILED.test(last)) this.#over();
    for (const frame of frames) this.#sink.send(frame, ignore);
    return last;
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.statusCode === 200) return void done();
    this.#over();
    this.#sink.send(errorFrame(this.statusCode, this.#pieces.join(''), this.#headers), done);
  }
}

/** An event has one `data:` line; a comment may precede it. */
function dataOf(event: string): string {
  return event.slice(event.indexOf(DATA) + DATA.length);
}

function errorFrame(status: number, envelope: string, headers: readonly string[]): string {
  const { error } = JSON.parse(envelope) as { readonly error: object };
  const shown: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    if (SHOWN.test(name)) shown[name] = headers[at + 1] as string;
  }
  return JSON.stringify({ type: 'error', status, error: { ...error, headers: shown } });
}

function ignore(): void {}
