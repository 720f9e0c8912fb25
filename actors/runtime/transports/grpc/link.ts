import type { Clock } from '../../ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../ports/transport.ts';
import { EnvelopeBatch } from '../envelope-batch.ts';
import { type LinkFrame, packFrame, unpackFrame } from './frame.ts';

/** The part of a gRPC stream that links use, on either end. */
interface Stream<T> {
  write(message: T): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  on(event: 'data', listener: (message: T) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end' | 'close' | 'drain' | 'cancelled', listener: () => void): unknown;
  readonly writableLength: number;
}

/** A stream of either end, as the library types it. */
interface Duplex {
  end(): unknown;
}

/**
 * Opens the link over a pair of streams. It is a member of `links` while it is open; `freed` is called once when it is
 * over. The streams are then half-closed and never cancelled: with writes pending, Node 20's http2 would loop for ever
 * (seen here, nodejs/node 52952). They end with the peer's answer, or with the connection when its keepalive is not
 * answered.
 */
export function openLink(parts: {
  readonly peer: string;
  readonly control: Duplex;
  readonly data: Duplex;
  readonly limits: TransportLimits;
  readonly clock: Clock;
  readonly links: Set<Link>;
  readonly freed?: () => void;
}): GrpcLink {
  const { peer, control, data, limits, clock, links, freed } = parts;
  const link: GrpcLink = new GrpcLink({
    peer,
    limits,
    clock,
    data: data as unknown as Stream<LinkFrame>,
    control: control as unknown as Stream<{ text: string }>,
    release: () => {
      links.delete(link);
      control.end();
      data.end();
      freed?.();
    },
  });
  links.add(link);
  return link;
}

/** Control texts that may wait for a slow peer; beyond that the link is closed. */
const CONTROL_WAITING_MAX = 4_096;

/**
 * One end of a link: a data stream and a control stream over one channel. It is over when either stream is; unsent
 * envelopes of its batch go back to the receiver.
 */
class GrpcLink implements Link {
  readonly peer: string;
  readonly #data: Stream<LinkFrame>;
  readonly #control: Stream<{ text: string }>;
  readonly #batch: EnvelopeBatch;
  readonly #release: () => void;
  #receiver: LinkReceiver | null = null;
  #open = true;
  #paused = false;
  /** The end of the link, if it ended before a receiver was attached. */
  #ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;

  /** `release` ends the streams and frees the channel, once. */
  constructor(parts: {
    readonly peer: string;
    readonly data: Stream<LinkFrame>;
    readonly control: Stream<{ text: string }>;
    readonly limits: TransportLimits;
    readonly clock: Clock;
    readonly release: () => void;
  }) {
    this.peer = parts.peer;
    this.#data = parts.data;
    this.#control = parts.control;
    this.#release = parts.release;
    this.#batch = new EnvelopeBatch(parts.limits, parts.clock, (envelopes) => this.#data.write(packFrame(envelopes)));
  }

  /**
   * Starts the delivery. Called once, before the first message can arrive. Reports a link that is already over at once.
   */
  attach(receiver: LinkReceiver): void {
    this.#receiver = receiver;
    if (this.#ended) receiver.closed(this.#ended.reason, this.#ended.unsent);
    this.#data.on('data', (frame) => {
      if (this.#open) this.#receive(receiver, frame);
    });
    this.#control.on('data', (signal) => {
      if (this.#open) receiver.control(signal.text);
    });
    this.#data.on('drain', () => this.#drained());
    for (const stream of [this.#data, this.#control] as const) {
      stream.on('error', (error) => this.close(error.message));
      stream.on('end', () => this.close('the peer ended the stream'));
      stream.on('close', () => this.close('the stream closed'));
      stream.on('cancelled', () => this.close('the peer cancelled the stream'));
    }
  }

  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (!this.#open) return 'closed';
    if (!this.#batch.add(envelope)) return 'full';
    if (this.#batch.congested && !this.#paused) {
      this.#paused = true;
      this.#data.pause();
    }
    return 'queued';
  }

  control(text: string): boolean {
    if (!this.#open) return false;
    if (this.#control.writableLength >= CONTROL_WAITING_MAX) {
      this.close('the peer does not read its control stream');
      return false;
    }
    this.#control.write({ text });
    return true;
  }

  close(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    const unsent = this.#batch.takeUnsent();
    this.#release();
    if (this.#receiver) this.#receiver.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }

  #receive(receiver: LinkReceiver, frame: LinkFrame): void {
    let envelopes: readonly Envelope[];
    try {
      envelopes = unpackFrame(frame);
    } catch (error) {
      this.close((error as Error).message);
      return;
    }
    this.#batch.received(envelopes);
    receiver.envelopes(envelopes);
  }

  #drained(): void {
    if (!this.#open) return;
    this.#batch.resume();
    if (this.#paused && !this.#batch.congested) {
      this.#paused = false;
      this.#data.resume();
    }
  }
}
