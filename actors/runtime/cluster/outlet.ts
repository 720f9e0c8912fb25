import type { Envelope, Link } from '../ports/transport.ts';
import type { Pending } from './pending.ts';

const ID_MAX = 0xffff_ffff;

/** The asks in flight on this node's link to one peer, by their id there. At most `inFlightMax`. */
export class Outlet {
  readonly incarnation: string;
  readonly #link: Link;
  readonly #inFlightMax: number;
  readonly #inFlight = new Map<number, Pending>();
  #lastId = 0;

  constructor(incarnation: string, link: Link, inFlightMax: number) {
    this.incarnation = incarnation;
    this.#link = link;
    this.#inFlightMax = inFlightMax;
  }

  /** `full` when the window or the buffer is; `closed` when the link is over. Throws EnvelopeTooLarge. */
  send(message: Pending, body: string, remainingMs: number): 'queued' | 'full' | 'closed' {
    const trace = message.trace ?? '';
    if (message.isTell) return this.#link.send({ kind: 'tell', id: 0, to: message.to, body, remainingMs, trace });
    if (this.#inFlight.size >= this.#inFlightMax) return 'full';
    const id = this.#nextId();
    const outcome = this.#link.send({ kind: 'ask', id, to: message.to, body, remainingMs, trace });
    if (outcome !== 'queued') return outcome;
    this.#inFlight.set(id, message);
    message.outlet = this;
    message.id = id;
    return 'queued';
  }

  /** The ask this answer belongs to; undefined when nobody waits any more. */
  take(id: number): Pending | undefined {
    const message = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    return message;
  }

  /** The link is over: what was never written, and what may have arrived. */
  end(unsent: readonly Envelope[]): { readonly never: readonly Pending[]; readonly perhaps: readonly Pending[] } {
    const never = unsent.flatMap((envelope) => this.take(envelope.id) ?? []);
    const perhaps = [...this.#inFlight.values()];
    this.#inFlight.clear();
    return { never, perhaps };
  }

  #nextId(): number {
    do {
      this.#lastId = this.#lastId >= ID_MAX ? 1 : this.#lastId + 1;
    } while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }
}
