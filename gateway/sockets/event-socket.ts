import type { WebSocket } from 'ws';
import type { Clock } from '../../actors/runtime/index.ts';
import type { AccountFeeds } from '../edge/events/account-feeds.ts';
import { slowReader } from '../edge/events/account-feeds.ts';
import { parseCursor } from '../edge/events/cursor.ts';
import { EVENT_TYPES, type EventFilter, parseFilter } from '../edge/events/event-filter.ts';
import type { FeedEvent } from '../edge/events/feed-event.ts';
import type { FeedTexts } from '../edge/events/feed-texts.ts';
import { FrameQueue } from '../edge/events/frame-queue.ts';
import type { EventSink, Subscription } from '../edge/events/subscription.ts';
import { callerOf, type RequestContext } from '../edge/request-context.ts';
import { CLOSE, ClientSocket, type SocketUser } from '../http/client-socket.ts';
import type { Upgrade } from '../http/exchange.ts';
import { acceptUpgrade } from '../http/upgrade.ts';
import type { EdgeLimits, EventLimits } from '../terms/config/config.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { gatewayErrorOf, invalid } from '../terms/gateway-error.ts';

/** Bytes of one frame of a client: a filter. */
const EVENT_FRAME_BYTES_MAX = 16 * 1024;
/** Frames of a client that wait: while an earlier one is read from the store, or for the client to read its answer. */
const ORDERS_MAX = 8;
/** Each may be a read of the store. */
const FRAMES_PER_MINUTE_MAX = 120;

interface EventSocketOptions {
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly events: EventLimits;
  readonly limits: Pick<EdgeLimits, 'streamStalledMs'>;
  readonly texts: FeedTexts;
}

/** Nothing, until the client subscribes. */
const NOTHING = { types: new Set<string>(), ids: null } as const;

/** Completes the handshake of a client that follows its account over a WebSocket. */
export async function followOverSocket(
  context: RequestContext,
  feeds: AccountFeeds,
  options: EventSocketOptions,
): Promise<null> {
  const events = new EventSocket(options);
  const subscription = await feeds.subscribe(callerOf(context), NOTHING, events);
  try {
    acceptUpgrade(context, EVENT_FRAME_BYTES_MAX, (socket, upgrade) => events.open(socket, upgrade, subscription));
  } finally {
    // The handshake failed, or the client has left.
    if (!events.isOpen) subscription.close();
  }
  return null;
}

/**
 * One WebSocket that follows an account. Its client names what it wants to receive with `subscribe` and `unsubscribe`
 * frames; before the first it receives nothing. It ends with the reason as its last frame.
 */
export class EventSocket implements EventSink, SocketUser {
  readonly holdsRequest = false;
  /** It may be ended by a drain at any time: its client goes on elsewhere from its cursor. */
  readonly isBusy = false;
  readonly #options: EventSocketOptions;
  #session: ClientSocket | null = null;
  #subscription: Subscription | null = null;
  readonly #queue: FrameQueue;
  #orders = 0;
  #ordered: Promise<void> = Promise.resolve();
  #types: ReadonlySet<string> = new Set();
  #ids: EventFilter['ids'] = null;
  /** Events are what the client missed, which does not count against its buffer. */
  #replaying = false;

  constructor(options: EventSocketOptions) {
    this.#options = options;
    this.#queue = new FrameQueue(options.events.bufferBytesMax, (frames) => this.#write(frames));
  }

  get isOpen(): boolean {
    return this.#session !== null;
  }

  /** Takes the socket of an accepted upgrade. `subscription` has not started; it passes nothing yet. */
  open(
    socket: WebSocket,
    { socket: connection }: Pick<Upgrade<unknown>, 'socket'>,
    subscription: Subscription,
  ): ClientSocket {
    const { clock, limits, events } = this.#options;
    const bounds = { stalledMs: limits.streamStalledMs, waitingBytes: events.bufferBytesMax };
    const rates = { framesPerMinuteMax: FRAMES_PER_MINUTE_MAX, idleMs: null, drainIdleMs: 0 };
    const session = new ClientSocket(socket, connection, { clock, ...bounds, ...rates }, this);
    this.#session = session;
    this.#subscription = subscription;
    this.#order(async () => {
      await subscription.start(null);
      this.#reply(this.#options.texts.opened(this.#options.now(), true));
    });
    return session;
  }

  receive(events: readonly FeedEvent[]): void {
    const frames = events.map(this.#options.texts.event);
    const { bufferBytesMax } = this.#options.events;
    if (!this.#queue.add(frames, !this.#replaying)) this.#subscription?.end(slowReader(bufferBytesMax));
  }

  end(error: GatewayError): void {
    this.#queue.clear();
    this.#session?.send(this.#options.texts.ended(error));
    this.#session?.close(error.status === 503 ? CLOSE.restart : CLOSE.policy, error.message);
  }

  onFrame(frame: Buffer): void {
    if (this.#orders >= ORDERS_MAX) return void this.#session?.close(CLOSE.policy, 'too many frames at once');
    this.#order(() => this.#obey(frame));
  }

  onClose(): void {
    this.#queue.clear();
    this.#subscription?.close();
  }

  /** Frames take effect one after the other, the next when the client has taken the answer to the last. */
  #order(run: () => Promise<void>): void {
    this.#orders++;
    this.#ordered = this.#ordered
      .then(run)
      .catch((thrown: unknown) => this.#fail(gatewayErrorOf(thrown)))
      .then(() => this.#queue.written())
      .then(() => {
        this.#orders--;
      });
  }

  /** A frame that is wrong is answered; any other failure ends the socket. */
  #fail(error: GatewayError): void {
    if (error.status === 400) this.#reply(this.#options.texts.ended(error));
    else this.#subscription?.end(error);
  }

  async #obey(bytes: Buffer): Promise<void> {
    const frame = parseFrame(bytes);
    const { types } = parseFilter(frame.types ?? [], frame.ids ?? []);
    if (frame.type === 'unsubscribe') {
      this.#types = types === null ? new Set() : new Set([...this.#types].filter((type) => !types.has(type)));
      this.#pass();
      return this.#reply(this.#options.texts.reply('feed.unsubscribed', this.#state()));
    }
    const cursorAt = frame.cursor === undefined ? null : parseCursor(frame.cursor);
    this.#types = types === null ? new Set(EVENT_TYPES) : new Set([...this.#types, ...types]);
    this.#ids = frame.ids === undefined ? null : new Set(frame.ids);
    this.#pass();
    this.#reply(this.#options.texts.reply('feed.subscribed', this.#state()));
    if (cursorAt !== null && !(await this.#replay(cursorAt))) {
      this.#reply(this.#options.texts.opened(this.#options.now(), false));
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
    this.#queue.add([text], false);
  }

  #write(frames: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const last = frames.length - 1;
      for (const [at, frame] of frames.entries()) this.#session?.send(frame, at === last ? () => resolve() : undefined);
    });
  }
}

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
