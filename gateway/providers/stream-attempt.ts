import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage, type EventSourceParser, type ParseError } from 'eventsource-parser';
import type { OutboundBody, OutboundReply } from '../outbound/outbound.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import type { ProviderAttempt } from './attempt.ts';
import { failureOf } from './failure-of.ts';
import { ProviderFailure } from './provider-failure.ts';
import type { ReplyReader } from './reply-reader.ts';

/**
 * Lines of a stream that are none of the format, such as a field nobody knows, before it is no answer. Each costs the
 * parser an error with its stack (measured: 64 KiB of them stood the loop still for half a second).
 */
const COMPLAINTS_MAX = 64;

/**
 * A streamed answer, whatever its dialect. Only parts of the answer count as progress, so comments and pings without
 * end run into the idle time. The end of the connection before a finish reason is a failure, never a clean end.
 */
export class StreamAttempt implements ProviderAttempt {
  readonly status: number;
  readonly #body: OutboundBody;
  readonly #reader: ReplyReader;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #events: TurnEvent[] = [];
  #progressed = false;
  #complaints = 0;
  /** The last piece ended in CR: an LF in front of the next one belongs to it. */
  #afterCr = false;
  #failure: ProviderFailure | null = null;
  #state: 'open' | 'terminated' | 'ended' = 'open';

  constructor(reply: OutboundReply, reader: ReplyReader, lineCharactersMax: number) {
    this.status = reply.status;
    this.#body = reply.body;
    this.#reader = reader;
    this.#parser = createParser({
      maxBufferSize: lineCharactersMax,
      onEvent: this.#onEvent,
      onError: this.#onComplaint,
    });
  }

  get upstreamId(): string | null {
    return this.#reader.upstreamId;
  }

  get usage(): Usage {
    return this.#reader.usage;
  }

  async read(): Promise<readonly TurnEvent[] | null> {
    for (;;) {
      if (this.#events.length > 0) {
        const events = this.#events;
        this.#events = [];
        return events;
      }
      if (this.#failure) throw this.#failure;
      if (this.#state !== 'open') return null;
      let chunks: readonly Uint8Array[] | null;
      try {
        chunks = await this.#body.read();
      } catch (error) {
        this.#fail(failureOf(error, this.status));
        continue;
      }
      if (chunks === null) this.#end();
      else this.#take(chunks);
    }
  }

  abort(): void {
    this.#body.abort();
  }

  #take(chunks: readonly Uint8Array[]): void {
    try {
      this.#feed(chunks);
    } catch (error) {
      this.#fail(failureOf(error, this.status));
    }
    if (this.#failure) return;
    if (this.#progressed) {
      this.#progressed = false;
      this.#body.progressed();
    }
    if (this.#state === 'terminated') {
      this.#end();
      if (this.#failure === null) this.#drain();
    }
  }

  #feed(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      if (this.#state !== 'open' || this.#failure) return;
      const text = this.#decoder.write(chunk as Buffer);
      this.#parser.feed(this.#afterCr || text.includes('\r') ? this.#withLineFeeds(text) : text);
    }
  }

  /** The parser's way with CR looks ahead from every line, to the end of the piece: all line ends become LF before it. */
  #withLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.#afterCr && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterCr = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n');
  }

  readonly #onComplaint = (error: ParseError): void => {
    if (error.type === 'max-buffer-size-exceeded') this.#fail(new ProviderFailure('garbage', 'a line without end'));
    else if (++this.#complaints > COMPLAINTS_MAX) throw new ProviderFailure('garbage', 'lines of no event stream');
  };

  readonly #onEvent = (event: EventSourceMessage): void => {
    if (this.#state !== 'open' || this.#failure) return;
    try {
      const frame = this.#reader.readFrame(event.event, event.data, this.#events);
      if (frame === 'part') this.#progressed = true;
      else if (frame === 'end') this.#state = 'terminated';
    } catch (error) {
      this.#fail(failureOf(error, this.status));
    }
  };

  /** The clean end, if a finish reason was seen. Usage follows everything else, once. */
  #end(): void {
    if (!this.#reader.finished) {
      this.#fail(new ProviderFailure('garbage', 'the stream ended without a finish reason', this.status));
      return;
    }
    this.#state = 'ended';
    const { usage } = this.#reader;
    if (Object.keys(usage).length > 0) this.#events.push({ type: 'usage', usage });
  }

  /** After the finish nothing but the usage was still to come: an end without it is an end. */
  #fail(failure: ProviderFailure): void {
    if (this.#state === 'ended') return;
    if (this.#reader.finished) this.#end();
    else this.#failure ??= failure;
    this.#body.abort();
  }

  /** Behind the terminator nothing may follow but the end, which frees the connection for another call. */
  #drain(): void {
    this.#body.read().then(
      (rest) => rest === null || this.#body.abort(),
      () => {},
    );
  }
}
