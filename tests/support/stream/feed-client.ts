import { WebSocket } from 'ws';

/** A frame of `GET /events`, with the time at which it arrived (wall ms). */
interface FeedFrame {
  readonly at: number;
  readonly type: string;
  readonly cursor?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const AGAIN_MS = 50;

/**
 * A follower of an account over a WebSocket. Whenever its socket ends it connects again, to whatever node answers, and
 * subscribes from the cursor of the last event that it received.
 */
export class FeedClient {
  readonly frames: FeedFrame[] = [];
  /** Close codes of the sockets that ended, in order. */
  readonly codes: number[] = [];
  /** Resolves when the first subscription holds. */
  readonly ready: Promise<void>;
  #subscribed: () => void = () => {};
  readonly #url: string;
  readonly #key: string;
  readonly #types: readonly string[];
  #cursor: string | null = null;
  #socket: WebSocket | null = null;
  #closed = false;

  constructor(baseUrl: string, key: string, types: readonly string[]) {
    this.#url = `${baseUrl.replace('http', 'ws')}/events`;
    this.#key = key;
    this.#types = types;
    this.ready = new Promise((resolve) => {
      this.#subscribed = resolve;
    });
    this.#connect();
  }

  of(type: string): readonly FeedFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  close(): void {
    this.#closed = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, { headers: { authorization: `Bearer ${this.#key}` } });
    this.#socket = socket;
    const cursor = this.#cursor === null ? {} : { cursor: this.#cursor };
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', types: this.#types, ...cursor })));
    socket.on('message', (bytes) => this.#receive(String(bytes)));
    socket.on('error', () => {});
    socket.on('close', (code) => {
      this.codes.push(code);
      if (!this.#closed) setTimeout(() => this.#connect(), AGAIN_MS);
    });
  }

  #receive(text: string): void {
    const frame = { ...(JSON.parse(text) as FeedFrame), at: Date.now() };
    this.frames.push(frame);
    if (frame.type === 'feed.subscribed') this.#subscribed();
    // That a feed is open says nothing about what was missed before: its cursor is for clients that have none.
    const isEvent = !frame.type.startsWith('feed.');
    if (frame.cursor !== undefined && (isEvent || this.#cursor === null)) this.#cursor = frame.cursor;
  }
}
