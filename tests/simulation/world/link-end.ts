import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Envelope, Link, LinkReceiver, TransportLimits } from '../../../actors/runtime/ports/transport.ts';
import { EnvelopeBatch } from '../../../actors/runtime/transports/envelope-batch.ts';
import type { Direction } from './direction.ts';
import type { Place } from './scheduler.ts';

/** Frames one end may have under way before its batch has to wait. */
const FRAMES_UNDER_WAY_MAX = 16;

export interface LinkEndParts {
  /** Whose end this is, and the address of the other. */
  readonly place: Place;
  readonly peer: string;
  readonly clock: Clock;
  readonly limits: TransportLimits;
  readonly out: Direction;
  /** This end is over. */
  readonly over: (end: LinkEnd) => void;
}

/** One end of a simulated link: envelopes leave in frames, as text, and arrive in order while the link lives. */
export class LinkEnd implements Link {
  readonly peer: string;
  readonly place: Place;
  readonly #parts: LinkEndParts;
  readonly #batch: EnvelopeBatch;
  #other: LinkEnd | null = null;
  #ear: LinkReceiver | null = null;
  #open = true;
  /** How it ended, if that was before anybody heard it. */
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

  hear(ear: LinkReceiver): void {
    this.#ear = ear;
    if (this.#ended !== null) ear.closed(this.#ended.reason, this.#ended.unsent);
  }

  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (!this.#open) return 'closed';
    return this.#batch.add(envelope) ? 'queued' : 'full';
  }

  control(text: string): boolean {
    if (!this.#open) return false;
    this.#parts.out.send(() => {
      if (this.#other?.open) this.#other.#ear?.control(text);
    });
    return true;
  }

  close(reason: string): void {
    if (!this.#open) return;
    this.finish(reason);
    this.farewell(`peer: ${reason}`);
  }

  /** The other end learns, behind everything that was sent, that this one is over. */
  farewell(reason: string): void {
    this.#parts.out.send(() => this.#other?.finish(reason));
  }

  /** This end is over, the other knows nothing of it. */
  finish(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#parts.over(this);
    const unsent = this.#batch.takeUnsent();
    if (this.#ear !== null) this.#ear.closed(reason, unsent);
    else this.#ended = { reason, unsent };
  }

  /** The process this end belongs to is gone: nobody hears anything here any more. */
  abandon(): void {
    this.#open = false;
    this.#ear = null;
    this.#parts.over(this);
  }

  /** What this end had sent and did not arrive is lost. */
  lose(): void {
    this.#parts.out.end();
  }

  #write(frame: readonly Envelope[]): boolean {
    this.#underWay += 1;
    const bytes = JSON.stringify(frame);
    this.#parts.out.send(() => {
      if (this.#other?.open) this.#other.#hear(JSON.parse(bytes) as Envelope[]);
      this.#arrived();
    });
    return this.#underWay < FRAMES_UNDER_WAY_MAX;
  }

  #hear(envelopes: readonly Envelope[]): void {
    this.#batch.received(envelopes);
    this.#ear?.envelopes(envelopes);
  }

  /** One frame fewer under way: the batch may write again, in a turn of its own. */
  #arrived(): void {
    const full = this.#underWay >= FRAMES_UNDER_WAY_MAX;
    this.#underWay -= 1;
    if (!full) return;
    this.#parts.clock.after(0, () => {
      if (this.#open) this.#batch.resume();
    });
  }
}
