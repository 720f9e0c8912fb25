import type { Clock } from '../../ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../ports/transport.ts';
import { EnvelopeBatch } from '../batch.ts';
import { type LinkFrame, packFrame, unpackFrame } from './frame.ts';

/** What this module needs of a gRPC stream, whichever end it is. */
export interface Stream<T> {
  write(message: T): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  on(event: 'data', heard: (message: T) => void): unknown;
  on(event: 'error', heard: (error: Error) => void): unknown;
  on(event: 'end' | 'close' | 'drain' | 'cancelled', heard: () => void): unknown;
  readonly writableLength: number;
}

/** Either end's pair of streams, as the library types them. */
interface Duplex {
  end(): unknown;
}

/**
 * The link over a pair of streams, counted in `links` while it is open; `freed` is called once when it is over.
 * Its streams are half-closed then and never cancelled: with writes pending, Node 20's http2 would spin for ever (seen
 * here, nodejs/node 52952). They end with the peer's answer, or with the connection when its keepalive goes unanswered.
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
    ...{ peer, limits, clock },
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

/** Control texts that may wait for a peer that does not read before its link is given up. */
const CONTROL_WAITING_MAX = 4_096;

/**
 * One end of a link: a data stream and a control stream over one channel. It is over when either stream is; what the
 * batch still held is handed back as unsent.
 */
export class GrpcLink implements Link {
  readonly peer: string;
  readonly #data: Stream<LinkFrame>;
  readonly #control: Stream<{ text: string }>;
  readonly #batch: EnvelopeBatch;
  readonly #release: () => void;
  #ear: LinkReceiver | null = null;
  #open = true;
  #paused = false;
  /** How it ended, if that was before anybody heard it. */
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

  /** Starts hearing. Called once, before the first message can arrive. One that is over already says so at once. */
  attach(ear: LinkReceiver): void {
    this.#ear = ear;
    if (this.#ended) ear.closed(this.#ended.reason, this.#ended.unsent);
    this.#data.on('data', (frame) => {
      if (this.#open) this.#hear(ear, frame);
    });
    this.#control.on('data', (signal) => {
      if (this.#open) ear.control(signal.text);
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
    if (this.#ear) this.#ear.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }

  #hear(ear: LinkReceiver, frame: LinkFrame): void {
    let envelopes: readonly Envelope[];
    try {
      envelopes = unpackFrame(frame);
    } catch (error) {
      this.close((error as Error).message);
      return;
    }
    this.#batch.heard(envelopes);
    ear.envelopes(envelopes);
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
