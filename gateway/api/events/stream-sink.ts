import type { ServerResponse } from 'node:http';
import { slowReader } from '../../edge/events/account-feeds.ts';
import type { FeedEvent } from '../../edge/events/feed-event.ts';
import { FrameQueue } from '../../edge/events/frame-queue.ts';
import type { EventSink, Subscription } from '../../edge/events/subscription.ts';
import type { EventStream } from '../../http/event-stream.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { feedEnded, feedOpened, sentEvent } from './event-object.ts';

/** Where the delivery begins. */
interface Start {
  readonly cursorAt: number | null;
  readonly now: number;
}

/**
 * Writes events to one response as fast as its client reads. A client that leaves more than `bufferBytesMax` of live
 * events unread is told so and disconnected; what it missed while away does not count.
 */
export class StreamSink implements EventSink {
  readonly holdsRequest = true;
  readonly #response: ServerResponse;
  readonly #bufferBytesMax: number;
  #stream: EventStream | null = null;
  #subscription: Subscription | null = null;
  #queue: FrameQueue | null = null;
  /** Events that the client missed, until the stream is open. */
  #early: FeedEvent[] = [];
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
    const stream = open();
    this.#stream = stream;
    this.#queue = new FrameQueue(this.#bufferBytesMax, (frames) => stream.write(frames.join('')));
    const opened = feedOpened(now, resumed, resumed ? (cursorAt ?? now) : now);
    this.#queue.add([opened.frame, ...this.#early.map(frameOf)], false);
    this.#early = [];
  }

  receive(events: readonly FeedEvent[]): void {
    if (this.#queue === null) this.#early.push(...events);
    else if (!this.#queue.add(events.map(frameOf), true)) {
      this.#subscription?.end(slowReader(this.#bufferBytesMax));
    }
  }

  end(error: GatewayError): void {
    this.#ending = error;
    this.#queue?.clear();
    void this.#stream?.end(feedEnded(error).frame);
  }
}

function frameOf(event: FeedEvent): string {
  return sentEvent(event).frame;
}
