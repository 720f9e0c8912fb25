import { AskError, type AskFailure } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import type { Envelope, Link } from '../ports/transport.ts';

const ID_MAX = 0xffff_ffff;

/** One message in transit: an ask whose caller waits, or a tell. It is settled exactly once. */
export class PendingAsk {
  readonly to: string;
  event: ActorEvent;
  readonly shard: number;
  /** Monotonic ms. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** The epoch under which it was last sent. It is sent again only under a higher epoch or as a permitted repeat. */
  sentEpoch = -1;
  /** True while it waits for its shard to have an owner. */
  parked = false;
  /** It may have been stepped: it was lost once and has been sent again. */
  mayHaveRun = false;
  /** The window of the link it was written to, and its id there. */
  window: AskWindow | null = null;
  id = 0;
  /** Its slot among the open asks; -1 for a tell. */
  slot = -1;
  readonly #resolve: ((body: Json) => void) | null;
  readonly #reject: ((error: AskError) => void) | null;
  readonly #repeat: ((event: ActorEvent) => ActorEvent) | undefined;
  #open = true;

  constructor(
    message: {
      readonly to: string;
      readonly event: ActorEvent;
      readonly shard: number;
      readonly deadline: number;
      readonly trace: string | undefined;
      readonly repeat?: ((event: ActorEvent) => ActorEvent) | undefined;
    },
    resolve: ((body: Json) => void) | null,
    reject: ((error: AskError) => void) | null,
  ) {
    this.to = message.to;
    this.event = message.event;
    this.shard = message.shard;
    this.deadline = message.deadline;
    this.trace = message.trace;
    this.#repeat = message.repeat;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get open(): boolean {
    return this.#open;
  }

  get isTell(): boolean {
    return this.#resolve === null;
  }

  /** Prepares a repeat of an ask that may have been stepped. False if its sender did not allow repeats. */
  again(): boolean {
    if (this.#repeat === undefined) return false;
    this.event = this.#repeat(this.event);
    this.mayHaveRun = true;
    this.window = null;
    return true;
  }

  resolve(body: Json): void {
    this.#open = false;
    this.#resolve?.(body);
  }

  fail(failure: AskFailure): void {
    this.#open = false;
    this.#reject?.(new AskError(this.to, failure));
  }
}

/**
 * The asks in flight on this node's link to one peer, by their id on that link; at most `inFlightMax`. Ids ascend, and
 * each has one slot in a ring of twice that size; an id whose slot is still taken is skipped. Not a Map: see `Slab`.
 */
export class AskWindow {
  readonly incarnation: string;
  readonly #link: Link;
  readonly #inFlightMax: number;
  readonly #ring: (PendingAsk | undefined)[] = [];
  readonly #slots: number;
  #inFlight = 0;
  #lastId = 0;

  constructor(incarnation: string, link: Link, inFlightMax: number) {
    this.incarnation = incarnation;
    this.#link = link;
    this.#inFlightMax = inFlightMax;
    this.#slots = inFlightMax * 2;
  }

  /** `full` if the window or the link's buffer is full; `closed` if the link has ended. Throws EnvelopeTooLarge. */
  send(message: PendingAsk, body: string, remainingMs: number): 'queued' | 'full' | 'closed' {
    const trace = message.trace ?? '';
    if (message.isTell) return this.#link.send({ kind: 'tell', id: 0, to: message.to, body, remainingMs, trace });
    if (this.#inFlight >= this.#inFlightMax) return 'full';
    const id = this.#nextId();
    const outcome = this.#link.send({ kind: 'ask', id, to: message.to, body, remainingMs, trace });
    if (outcome !== 'queued') return outcome;
    this.#ring[id % this.#slots] = message;
    this.#inFlight++;
    message.window = this;
    message.id = id;
    return 'queued';
  }

  /** Removes and returns the ask with this id; undefined if it is no longer pending. */
  take(id: number): PendingAsk | undefined {
    const slot = id % this.#slots;
    const message = this.#ring[slot];
    if (message?.id !== id) return undefined;
    this.#ring[slot] = undefined;
    this.#inFlight--;
    return message;
  }

  /** The link has ended. Splits the asks in flight into those never written and those that may have arrived. */
  end(unsent: readonly Envelope[]): {
    readonly never: readonly PendingAsk[];
    readonly mayHaveRun: readonly PendingAsk[];
  } {
    const never = unsent.flatMap((envelope) => this.take(envelope.id) ?? []);
    const mayHaveRun = this.#ring.filter((message) => message !== undefined);
    this.#ring.length = 0;
    this.#inFlight = 0;
    return { never, mayHaveRun };
  }

  #nextId(): number {
    do {
      this.#lastId = this.#lastId >= ID_MAX ? 1 : this.#lastId + 1;
    } while (this.#ring[this.#lastId % this.#slots] !== undefined);
    return this.#lastId;
  }
}
