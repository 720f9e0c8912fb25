import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../../../terms/gateway-error.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { slowReader } from '../../events/slow-reader.ts';
import type { EventSink, Subscription } from '../../events/subscription.ts';
import type { EventStream } from '../../http/event-stream.ts';
import { feedEnded, feedOpened, type SentEvent, sentEvent } from './event-object.ts';

/** Where the delivery begins. */
interface Start {
  readonly cursorAt: number | null;
  readonly now: number;
}

/** Text that one write takes from the queue. */
const WRITE_CHARACTERS = 64 * 1024;

/**
 * Writes events to one response as fast as its client reads. A client that leaves more than `bufferBytesMax` of live
 * events unread is told so and disconnected; what it missed while away does not count.
 */
export class StreamSink implements EventSink {
  readonly #response: ServerResponse;
  readonly #bufferBytesMax: number;
  #stream: EventStream | null = null;
  #subscription: Subscription | null = null;
  /** Frames to write. */
  #queue: string[] = [];
  /** Characters of the queue that arrived after the stream was opened. */
  #behind = 0;
  #writing = false;
  #ending: GatewayError | null = null;

  constructor(response: ServerResponse, bufferBytesMax: number) {
    this.#response = response;
    this.#bufferBytesMax = bufferBytesMax;
  }

  /** Resolves once the stream is open; it then ends with its client or its subscription. */
  async run(subscription: Subscription, open: () => EventStream, { cursorAt, now }: Start): Promise<void> {
    const response = this.#response;
    this.#subscription = subscription;
    response.once('close', () => subscription.close());
    const resumed = await subscription.start(cursorAt).catch((thrown: unknown) => {
      subscription.close();
      throw thrown;
    });
    if (this.#ending !== null) throw this.#ending;
    if (response.destroyed) return subscription.close();
    this.#stream = open();
    this.#queue.unshift(frameOf(feedOpened(now, resumed)));
    void this.#writeOn(this.#stream);
  }

  receive(events: readonly FeedEvent[]): void {
    const frames = events.map((event) => frameOf(sentEvent(event)));
    this.#queue.push(...frames);
    if (this.#stream === null) return;
    for (const { length } of frames) this.#behind += length;
    if (this.#behind > this.#bufferBytesMax) this.#subscription?.end(slowReader(this.#bufferBytesMax));
    else void this.#writeOn(this.#stream);
  }

  end(error: GatewayError): void {
    this.#ending = error;
    this.#queue = [];
    void this.#stream?.end(frameOf(feedEnded(error)));
  }

  async #writeOn(stream: EventStream): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#queue.length > 0) {
      let text = '';
      while (this.#queue.length > 0 && text.length < WRITE_CHARACTERS) text += this.#queue.shift();
      const waits = stream.write(text);
      if (waits !== null) await waits;
      this.#behind = Math.max(0, this.#behind - text.length);
    }
    this.#writing = false;
  }
}

function frameOf({ type, cursor, text }: SentEvent): string {
  return `${cursor === null ? '' : `id: ${cursor}\n`}event: ${type}\ndata: ${text}\n\n`;
}
