import type { Clock } from '../../ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../ports/transport.ts';
import { EnvelopeBatch } from '../batch.ts';

/** Frames one end may have under way within one turn of the loop before its batch has to wait, like a real wire. */
const FRAMES_UNDER_WAY_MAX = 16;

export interface EndParts {
  readonly network: { isCut(from: string, to: string): boolean };
  /** Address of this end and of the other: what the network may cut. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  readonly limits: TransportLimits;
  /** Called once when this end is over. */
  readonly over: (end: LoopbackEnd) => void;
}

/** One end of a link inside the process. Delivers in a later turn of the loop, in order, as bytes. */
export class LoopbackEnd implements Link {
  readonly peer: string;
  readonly #parts: EndParts;
  readonly #batch: EnvelopeBatch;
  #other: LoopbackEnd | null = null;
  #ear: LinkReceiver | null = null;
  #open = true;
  /** How it ended, if that was before anybody heard it. */
  #ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  #underWay = 0;

  constructor(parts: EndParts) {
    this.peer = parts.to;
    this.#parts = parts;
    this.#batch = new EnvelopeBatch(parts.limits, parts.clock, (frame) => this.#write(frame));
  }

  join(other: LoopbackEnd, ear: LinkReceiver): void {
    this.#other = other;
    this.#ear = ear;
    if (this.#ended) ear.closed(this.#ended.reason, this.#ended.unsent);
  }

  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (!this.#open) return 'closed';
    return this.#batch.add(envelope) ? 'queued' : 'full';
  }

  control(text: string): boolean {
    if (!this.#open) return false;
    this.#carry(Buffer.from(text), (other, bytes) => other.#ear?.control(bytes.toString()));
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
      other.#batch.heard(envelopes);
      other.#ear?.envelopes(envelopes);
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
    if (this.#ear) this.#ear.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }
}
