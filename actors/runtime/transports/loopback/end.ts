import type { Clock } from '../../ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../ports/transport.ts';
import { EnvelopeBatch } from '../envelope-batch.ts';

/**
 * Frames that one end may have under way within one turn of the loop before its batch has to wait, as on a real wire.
 */
const FRAMES_UNDER_WAY_MAX = 16;

export interface EndParts {
  readonly network: { isCut(from: string, to: string): boolean };
  /** Addresses of this end and of the other; a network can cut each direction between them. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  readonly limits: TransportLimits;
  /** Called once when this end is over. */
  readonly over: (end: LoopbackEnd) => void;
}

/** One end of a link within the process. Delivers in a later turn of the loop, in order, serialised. */
export class LoopbackEnd implements Link {
  readonly peer: string;
  readonly #parts: EndParts;
  readonly #batch: EnvelopeBatch;
  #other: LoopbackEnd | null = null;
  #receiver: LinkReceiver | null = null;
  #open = true;
  /** The end of the link, if it ended before a receiver joined. */
  #ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  #underWay = 0;

  constructor(parts: EndParts) {
    this.peer = parts.to;
    this.#parts = parts;
    this.#batch = new EnvelopeBatch(parts.limits, parts.clock, (frame) => this.#write(frame));
  }

  join(other: LoopbackEnd, receiver: LinkReceiver): void {
    this.#other = other;
    this.#receiver = receiver;
    if (this.#ended) receiver.closed(this.#ended.reason, this.#ended.unsent);
  }

  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (!this.#open) return 'closed';
    return this.#batch.add(envelope) ? 'queued' : 'full';
  }

  control(text: string): boolean {
    if (!this.#open) return false;
    this.#carry(Buffer.from(text), (other, bytes) => other.#receiver?.control(bytes.toString()));
    return true;
  }

  close(reason: string): void {
    if (!this.#open) return;
    this.#finish(reason);
    this.#parts.clock.after(0, () => this.#other?.close(`peer: ${reason}`));
  }

  #write(frame: readonly Envelope[]): boolean {
    this.#underWay += 1;
    this.#carry(Buffer.from(JSON.stringify(frame)), (other, bytes) => {
      const envelopes = JSON.parse(bytes.toString()) as Envelope[];
      other.#batch.received(envelopes);
      other.#receiver?.envelopes(envelopes);
    });
    return this.#underWay < FRAMES_UNDER_WAY_MAX;
  }

  #carry(bytes: Buffer, arrive: (other: LoopbackEnd, bytes: Buffer) => void): void {
    const { network, from, to, clock } = this.#parts;
    const lost = network.isCut(from, to);
    clock.after(0, () => {
      const other = this.#other;
      if (!lost && other !== null && other.#open) arrive(other, bytes);
      if (this.#underWay > 0) {
        this.#underWay = 0;
        if (this.#open) this.#batch.resume();
      }
    });
  }

  #finish(reason: string): void {
    this.#open = false;
    this.#parts.over(this);
    const unsent = this.#batch.takeUnsent();
    if (this.#receiver) this.#receiver.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }
}
