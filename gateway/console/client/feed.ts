/** The feed of the operator API: one WebSocket for all that a part of a page watches. */
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

/** Messages were left out; how many is unknown after a reconnect. */
interface Gap {
  readonly type: 'gap';
  readonly cursor: number;
  readonly dropped: number | null;
}

/** What the feed says of actors. */
export type FeedMessage = Step | Gap;

/** A node as the feed tells it. */
export interface SeenNode {
  readonly name: string;
  readonly incarnation: string;
  readonly state: string;
  readonly live: boolean;
  readonly shards: number;
  /** ms, of the store's clock; null before the first. */
  readonly beatAt: number | null;
}

export interface MovedShard {
  readonly shard: number;
  readonly epoch: number;
  readonly node: string | null;
}

/** What the feed says of the cluster; after an event or an alarm its list is read again. */
type ClusterMessage =
  | Gap
  | { readonly type: 'nodes'; readonly cursor: number; readonly at: number; readonly nodes: readonly SeenNode[] }
  | { readonly type: 'shards'; readonly cursor: number; readonly moves: readonly MovedShard[] }
  | { readonly type: 'event' | 'alarm'; readonly cursor: number };

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
    const feed = new Feed<FeedMessage>({ watch: key.split('\n') }, (message) => latest.current(message));
    return () => feed.close();
  }, [key]);
}

/** Calls `see` with each message about nodes, shards, events and alarms. */
export function useClusterFeed(see: (message: ClusterMessage) => void): void {
  const latest = useRef(see);
  latest.current = see;
  useEffect(() => {
    const feed = new Feed<ClusterMessage>({ about: ['nodes', 'events'] }, (message) => latest.current(message));
    return () => feed.close();
  }, []);
}

interface Asked {
  readonly watch?: readonly string[];
  readonly about?: readonly string[];
}

class Feed<Message extends { readonly cursor: number }> {
  readonly #asked: Asked;
  readonly #see: (message: Message) => void;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursor: number | null = null;
  #unacknowledged = 0;
  #closed = false;

  constructor(asked: Asked, see: (message: Message) => void) {
    this.#asked = asked;
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
      socket.send(JSON.stringify({ ...this.#asked, ...from }));
    };
    socket.onmessage = ({ data }) => this.#take(String(data));
    socket.onclose = () => {
      if (!this.#closed) this.#timer = setTimeout(() => this.#open(), RETRY_MS);
    };
  }

  #take(text: string): void {
    const messages = JSON.parse(text) as readonly Message[];
    this.#cursor = messages.at(-1)?.cursor ?? this.#cursor;
    this.#unacknowledged += messages.length;
    if (this.#unacknowledged >= ACK_EVERY) {
      this.#unacknowledged = 0;
      this.#socket?.send(JSON.stringify({ ack: this.#cursor }));
    }
    for (const message of messages) this.#see(message);
  }
}
