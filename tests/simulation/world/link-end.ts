import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../../actors/runtime/ports/transport.ts';
import { EnvelopeBatch } from '../../../actors/runtime/transports/envelope-batch.ts';
import type { Direction } from './direction.ts';
import type { Place } from './scheduler.ts';

/** Most frames of one end in flight; further frames wait in the batch. */
const FRAMES_UNDER_WAY_MAX = 16;

interface LinkEndParts {
  /** The owner of this end and the address of its peer. */
  readonly place: Place;
  readonly peer: string;
  readonly clock: Clock;
  readonly limits: TransportLimits;
  readonly out: Direction;
  /** This end has closed. */
  readonly over: (end: LinkEnd) => void;
}

/** One end of a simulated link: envelopes are sent in frames, as text, and arrive in order while the link is open. */
export class LinkEnd implements Link {
  readonly peer: string;
  readonly place: Place;
  readonly #parts: LinkEndParts;
  readonly #batch: EnvelopeBatch;
  #other: LinkEnd | null = null;
  #receiver: LinkReceiver | null = null;
  #open = true;
  /** Why it closed, if it closed before a receiver was attached. */
  #ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  #underWay = 0;

  constructor(parts: LinkEndParts) {
    this.peer = parts.peer;
    this.place = parts.place;
    this.#parts = parts;
    this.#batch = new EnvelopeBatch(parts.limits, parts.clock, (frame) => this.#write(frame));
  }

  get open(): boolean {
    return this.#open;
  }

  join(other: LinkEnd): void {
    this.#other = other;
  }

  attach(receiver: LinkReceiver): void {
    this.#receiver = receiver;
    if (this.#ended !== null) receiver.closed(this.#ended.reason, this.#ended.unsent);
  }

  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (!this.#open) return 'closed';
    return this.#batch.add(envelope) ? 'queued' : 'full';
  }

  control(text: string): boolean {
    if (!this.#open) return false;
    this.#parts.out.send(() => {
      if (this.#other?.open) this.#other.#receiver?.control(text);
    });
    return true;
  }

  close(reason: string): void {
    if (!this.#open) return;
    this.finish(reason);
    this.farewell(`peer: ${reason}`);
  }

  /** Notifies the other end, after all sent frames, that this end has closed. */
  farewell(reason: string): void {
    this.#parts.out.send(() => this.#other?.finish(reason));
  }

  /** Closes this end without notifying the other. */
  finish(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#parts.over(this);
    const unsent = this.#batch.takeUnsent();
    if (this.#receiver !== null) this.#receiver.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }

  /** The owning process has ended: no further events are delivered. */
  abandon(): void {
    this.#open = false;
    this.#receiver = null;
    this.#parts.over(this);
  }

  /** Drops the frames of this end that are in flight. */
  lose(): void {
    this.#parts.out.end();
  }

  #write(frame: readonly Envelope[]): boolean {
    this.#underWay += 1;
    const bytes = JSON.stringify(frame);
    this.#parts.out.send(() => {
      if (this.#other?.open) this.#other.#receive(JSON.parse(bytes) as Envelope[]);
      this.#arrived();
    });
    return this.#underWay < FRAMES_UNDER_WAY_MAX;
  }

  #receive(envelopes: readonly Envelope[]): void {
    this.#batch.received(envelopes);
    this.#receiver?.envelopes(envelopes);
  }

  /** One frame fewer in flight: the batch may write again, in a later task. */
  #arrived(): void {
    const full = this.#underWay >= FRAMES_UNDER_WAY_MAX;
    this.#underWay -= 1;
    if (!full) return;
    this.#parts.clock.after(0, () => {
      if (this.#open) this.#batch.resume();
    });
  }
}
