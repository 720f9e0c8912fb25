import type { WebSocket } from 'ws';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { EventLimits } from '../../terms/config.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { gatewayErrorOf } from '../../terms/gateway-error-of.ts';
import { invalid } from '../../terms/invalid.ts';
import { feedEnded, feedOpened, feedReply, sentEvent } from '../api/events/event-object.ts';
import { parseCursor } from '../events/cursor.ts';
import { EVENT_TYPES, type EventFilter, parseFilter } from '../events/event-filter.ts';
import type { FeedEvent } from '../events/feed-event.ts';
import { FrameQueue } from '../events/frame-queue.ts';
import { slowReader } from '../events/slow-reader.ts';
import type { EventSink, Subscription } from '../events/subscription.ts';
import type { SocketSession } from '../request-context.ts';
import { RESTART_CODE } from './upgrade.ts';

const PING_MS = 30_000;
/** Bytes of one frame of a client: a filter. */
export const EVENT_FRAME_BYTES_MAX = 16 * 1024;
/** Frames of a client that wait while an earlier one is read from the store. */
const ORDERS_MAX = 8;
const WRONG_DATA_CODE = 1003;
const POLICY_CODE = 1008;

export interface EventSocketOptions {
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly limits: EventLimits;
}

/**
 * One WebSocket that follows an account. Its client names what it wants to receive with `subscribe` and `unsubscribe`
 * frames; before the first it receives nothing. It ends with the reason as its last frame. (issue 17, part 4)
 */
export class EventSocket implements SocketSession, EventSink {
  readonly holdsRequest = false;
  readonly #options: EventSocketOptions;
  #socket: WebSocket | null = null;
  #subscription: Subscription | null = null;
  #queue: FrameQueue | null = null;
  #orders = 0;
  #ordered: Promise<void> = Promise.resolve();
  #types: ReadonlySet<string> = new Set();
  #ids: EventFilter['ids'] = null;
  /** Events are what the client missed, which does not count against its buffer. */
  #replaying = false;
  #answered = true;
  #cancelPing: Cancel = ignore;

  constructor(options: EventSocketOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** Takes the socket of an accepted upgrade. `subscription` has not started; it passes nothing yet. */
  open(socket: WebSocket, subscription: Subscription): void {
    this.#socket = socket;
    this.#subscription = subscription;
    this.#queue = new FrameQueue(this.#options.limits.bufferBytesMax, (frames) => sendAll(socket, frames));
    this.#cancelPing = this.#options.clock.after(PING_MS, this.#ping);
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('error', ignore);
    socket.on('close', () => {
      this.#cancelPing();
      subscription.close();
    });
    this.#order(async () => {
      await subscription.start(null);
      this.#reply(feedOpened(this.#options.now(), true).text);
    });
  }

  receive(events: readonly FeedEvent[]): void {
    const frames = events.map((event) => sentEvent(event).text);
    if (this.#queue?.add(frames, !this.#replaying) === false) {
      this.#subscription?.end(slowReader(this.#options.limits.bufferBytesMax));
    }
  }

  end(error: GatewayError): void {
    this.#queue?.clear();
    this.#socket?.send(feedEnded(error).text, ignore);
    this.#socket?.close(error.status === 503 ? RESTART_CODE : POLICY_CODE, error.message.slice(0, REASON_CHARS_MAX));
  }

  drain(): void {
    this.#socket?.close(RESTART_CODE, 'the node is restarting');
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (isBinary) return void this.#socket?.close(WRONG_DATA_CODE, 'frames are text');
    if (this.#orders >= ORDERS_MAX) return void this.#socket?.close(POLICY_CODE, 'too many frames at once');
    this.#order(() => this.#obey(bytes));
  }

  /** Frames take effect one after the other. */
  #order(run: () => Promise<void>): void {
    this.#orders++;
    this.#ordered = this.#ordered.then(run).then(
      () => {
        this.#orders--;
      },
      (thrown: unknown) => {
        this.#orders--;
        this.#fail(gatewayErrorOf(thrown));
      },
    );
  }

  /** A frame that is wrong is answered; any other failure ends the socket. */
  #fail(error: GatewayError): void {
    if (error.status === 400) this.#reply(feedEnded(error).text);
    else this.#subscription?.end(error);
  }

  async #obey(bytes: Buffer): Promise<void> {
    const frame = parseFrame(bytes);
    const { types } = parseFilter(frame.types ?? [], frame.ids ?? []);
    if (frame.type === 'unsubscribe') {
      this.#types = types === null ? new Set() : new Set([...this.#types].filter((type) => !types.has(type)));
      this.#pass();
      return this.#reply(feedReply('feed.unsubscribed', this.#state()));
    }
    const cursorAt = frame.cursor === undefined ? null : parseCursor(frame.cursor);
    this.#types = types === null ? new Set(EVENT_TYPES) : new Set([...this.#types, ...types]);
    this.#ids = frame.ids === undefined ? null : new Set(frame.ids);
    this.#pass();
    this.#reply(feedReply('feed.subscribed', this.#state()));
    if (cursorAt !== null && !(await this.#replay(cursorAt))) {
      this.#reply(feedOpened(this.#options.now(), false).text);
    }
  }

  async #replay(cursorAt: number): Promise<boolean> {
    this.#replaying = true;
    try {
      return (await this.#subscription?.resume(cursorAt)) ?? true;
    } finally {
      this.#replaying = false;
    }
  }

  #pass(): void {
    if (this.#subscription !== null) this.#subscription.filter = { types: this.#types, ids: this.#ids };
  }

  #state(): object {
    return { types: [...this.#types].sort(), ids: this.#ids === null ? null : [...this.#ids] };
  }

  #reply(text: string): void {
    this.#queue?.add([text], false);
  }

  readonly #ping = (): void => {
    if (!this.#answered) return void this.#socket?.terminate();
    this.#answered = false;
    this.#socket?.ping(ignore);
    this.#cancelPing = this.#options.clock.after(PING_MS, this.#ping);
  };
}

/** A close frame holds 123 bytes of text. */
const REASON_CHARS_MAX = 120;

interface ClientFrame {
  readonly type: 'subscribe' | 'unsubscribe';
  readonly types?: readonly string[];
  readonly ids?: readonly string[];
  readonly cursor?: string;
}

/** Throws 400 that names the member. */
function parseFrame(bytes: Buffer): ClientFrame {
  let frame: Record<string, unknown>;
  try {
    frame = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    throw invalid('a frame must be a JSON object');
  }
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    throw invalid('a frame must be a JSON object');
  if (frame.type !== 'subscribe' && frame.type !== 'unsubscribe') {
    throw invalid('type must be "subscribe" or "unsubscribe"');
  }
  for (const name of ['types', 'ids'] as const) {
    const list = frame[name];
    if (list !== undefined && !(Array.isArray(list) && list.every((item) => typeof item === 'string'))) {
      throw invalid(`${name} must be a list of texts`);
    }
  }
  if (frame.cursor !== undefined && typeof frame.cursor !== 'string') throw invalid('cursor must be a text');
  return frame as unknown as ClientFrame;
}

function sendAll(socket: WebSocket, frames: readonly string[]): Promise<void> | null {
  return new Promise((resolve) => {
    const last = frames.length - 1;
    for (const [at, frame] of frames.entries()) socket.send(frame, at === last ? () => resolve() : ignore);
  });
}

function ignore(): void {}
