/** The feed of committed steps: one WebSocket for all that a page watches. */
import { useEffect, useRef } from 'preact/hooks';

/** A committed step of an actor. */
interface Step {
  readonly type: 'step';
  readonly cursor: number;
  readonly address: string;
  readonly version: number;
  /** ms. */
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly node?: string;
}

/** What the feed says: a step, or that steps were left out; how many is unknown after a reconnect. */
export type FeedMessage = Step | { readonly type: 'gap'; readonly dropped: number | null; readonly cursor: number };

/** The server sends no more than it allows to be unacknowledged. */
const ACK_EVERY = 32;
const RETRY_MS = 1_000;

/** Calls `see` with each message about actors that match one of the patterns; `*` matches any text. */
export function useFeed(patterns: readonly string[], see: (message: FeedMessage) => void): void {
  const latest = useRef(see);
  latest.current = see;
  const key = patterns.join('\n');
  useEffect(() => {
    if (key === '') return;
    const feed = new Feed(key.split('\n'), (message) => latest.current(message));
    return () => feed.close();
  }, [key]);
}

class Feed {
  readonly #patterns: readonly string[];
  readonly #see: (message: FeedMessage) => void;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursor: number | null = null;
  #unacknowledged = 0;
  #closed = false;

  constructor(patterns: readonly string[], see: (message: FeedMessage) => void) {
    this.#patterns = patterns;
    this.#see = see;
    this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #open(): void {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(`${scheme}//${location.host}/api/feed`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#unacknowledged = 0;
      const from = this.#cursor === null ? {} : { from: this.#cursor };
      socket.send(JSON.stringify({ watch: this.#patterns, ...from }));
    };
    socket.onmessage = ({ data }) => this.#take(String(data));
    socket.onclose = () => {
      if (!this.#closed) this.#timer = setTimeout(() => this.#open(), RETRY_MS);
    };
  }

  #take(text: string): void {
    const messages = JSON.parse(text) as readonly FeedMessage[];
    this.#cursor = messages.at(-1)?.cursor ?? this.#cursor;
    this.#unacknowledged += messages.length;
    if (this.#unacknowledged >= ACK_EVERY) {
      this.#unacknowledged = 0;
      this.#socket?.send(JSON.stringify({ ack: this.#cursor }));
    }
    for (const message of messages) this.#see(message);
  }
}
