import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage, type EventSourceParser, type ParseError } from 'eventsource-parser';
import type { FrameCutter, Framing, OnFrame } from '../adapter.ts';
import { ProviderFailure } from '../provider-failure.ts';

/**
 * Invalid lines, such as unknown fields, after which a stream is refused. Each makes the parser create an error with a
 * stack (measured: 64 KiB of them blocked the event loop for half a second).
 */
const INVALID_LINES_MAX = 64;

/** Server-sent events: a frame is an event, its name the event's. An event without its empty line is dropped. */
export const serverSentEvents: Framing = {
  type: 'text/event-stream',
  cutter: (onFrame, frameMax) => new EventCutter(onFrame, frameMax),
};

class EventCutter implements FrameCutter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #invalidLines = 0;
  /** The last piece ended in CR: an LF at the start of the next piece belongs to it. */
  #afterCr = false;

  constructor(onFrame: OnFrame, maxBufferSize: number) {
    this.#parser = createParser({
      maxBufferSize,
      onEvent: ({ event, data }: EventSourceMessage) => onFrame(event, data),
      onError: this.#onInvalidLine,
    });
  }

  feed(chunk: Uint8Array): void {
    const text = this.#decoder.write(chunk as Buffer);
    this.#parser.feed(this.#afterCr || text.includes('\r') ? this.#withLineFeeds(text) : text);
  }

  end(): void {}

  /** Converts all line ends to LF: with a CR the parser searches from every line to the end of the piece. */
  #withLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.#afterCr && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterCr = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n');
  }

  readonly #onInvalidLine = (error: ParseError): void => {
    if (error.type === 'max-buffer-size-exceeded') throw new ProviderFailure('garbage', 'an endless line');
    if (++this.#invalidLines > INVALID_LINES_MAX)
      throw new ProviderFailure('garbage', 'too many invalid lines in an event stream');
  };
}
