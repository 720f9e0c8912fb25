import type { OutboundBody, OutboundReply } from '../../outbound/outbound.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameCutter, Framing, ProviderAttempt, ReplyReader } from '../adapter.ts';
import { failureOf } from '../failure-of.ts';
import { serverSentEvents } from '../framing/server-sent-events.ts';
import { ProviderFailure } from '../provider-failure.ts';

/**
 * Bytes without an event of the answer, such as comments and empty frames, beside one line of the longest kind, after
 * which a stream is refused.
 */
const IDLE_BYTES_MAX = 1024 * 1024;

/** What the pieces of a stream wait for. */
export interface StreamSharing {
  /** Null: this turn of the event loop has room for a piece of so many bytes. Else resolves in one that has. */
  readonly streamShare: (bytes: number) => Promise<void> | null;
}

interface StreamOptions extends StreamSharing {
  readonly lineCharactersMax: number;
  /** Absent: server-sent events. */
  readonly framing?: Framing | undefined;
}

/**
 * A streamed answer of any dialect. Only parts of the answer count as progress, so endless comments, blank lines and
 * pings run into the idle time-out, or into the bound on their bytes where there are many. The end of the connection
 * before a finish reason is a failure, never a clean end.
 */
export class StreamAttempt implements ProviderAttempt {
  readonly status: number;
  readonly #body: OutboundBody;
  readonly #reader: ReplyReader;
  readonly #streamShare: StreamSharing['streamShare'];
  readonly #cutter: FrameCutter;
  #events: TurnEvent[] = [];
  #progressed = false;
  readonly #idleBytesMax: number;
  /** Bytes since the last event. */
  #idleBytes = 0;
  #failure: ProviderFailure | null = null;
  #state: 'open' | 'terminated' | 'ended' = 'open';

  constructor(
    reply: OutboundReply,
    reader: ReplyReader,
    { lineCharactersMax, streamShare, framing = serverSentEvents }: StreamOptions,
  ) {
    this.status = reply.status;
    this.#body = reply.body;
    this.#reader = reader;
    this.#streamShare = streamShare;
    this.#idleBytesMax = lineCharactersMax + IDLE_BYTES_MAX;
    this.#cutter = framing.cutter(this.#onFrame, lineCharactersMax);
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
      if (chunks === null) {
        this.#endOfBytes();
        continue;
      }
      const share = this.#streamShare(lengthOf(chunks));
      if (share !== null) await share;
      this.#take(chunks);
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

  #endOfBytes(): void {
    try {
      this.#cutter.end();
    } catch (error) {
      this.#fail(failureOf(error, this.status));
    }
    if (this.#failure === null) this.#end();
  }

  #feed(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      if (this.#state !== 'open' || this.#failure) return;
      const before = this.#events.length;
      this.#cutter.feed(chunk);
      this.#idleBytes = this.#events.length > before ? 0 : this.#idleBytes + chunk.length;
      if (this.#idleBytes > this.#idleBytesMax) throw new ProviderFailure('garbage', 'bytes without an answer');
    }
  }

  readonly #onFrame = (name: string | undefined, data: string): void => {
    if (this.#state !== 'open' || this.#failure) return;
    try {
      const frame = this.#reader.readFrame(name, data, this.#events);
      if (frame === 'part') this.#progressed = true;
      else if (frame === 'end') this.#state = 'terminated';
    } catch (error) {
      this.#fail(failureOf(error, this.status));
    }
  };

  /** The clean end, if a finish reason has arrived. The usage follows once, after all other events. */
  #end(): void {
    if (!this.#reader.finished) {
      this.#fail(new ProviderFailure('garbage', 'the stream ended without a finish reason', this.status));
      return;
    }
    this.#state = 'ended';
    const { usage } = this.#reader;
    if (Object.keys(usage).length > 0) this.#events.push({ type: 'usage', usage });
  }

  /** After the finish only the usage can follow, so an error there ends the answer cleanly. */
  #fail(failure: ProviderFailure): void {
    if (this.#state === 'ended') return;
    if (this.#reader.finished) this.#end();
    else this.#failure ??= failure;
    this.#body.abort();
  }

  /** Reads the end after the terminator, which frees the connection for another call; aborts if more bytes follow. */
  #drain(): void {
    this.#body.read().then(
      (rest) => rest === null || this.#body.abort(),
      () => {},
    );
  }
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}
