/**
 * Every accepted connection that no node serves yet. A connection leaves this table only by a node's `taken` or a
 * refusal: until then the launcher keeps its copy, unread, and whatever happens to the node it was offered to (dead,
 * stopped, deaf), another one gets it from the first byte. Knows nothing of processes; takers come from outside.
 */
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { ToNode } from './message.ts';

/** One life of one node process, as hand-offs see it. */
export interface Taker {
  say(message: ToNode): void;
  offer(id: number, socket: Socket): void;
}

export interface HandOffsOptions {
  readonly clock: Clock;
  /** An offer not acknowledged for this long goes to another node. */
  readonly ackMs: number;
  /** Connections in this table at most; further ones are refused at once. */
  readonly max: number;
  /** A connection nobody took for this long is refused. */
  readonly waitMs: number;
  /** Next node in turn that may be offered a connection and is not `busy`; null when there is none now. */
  readonly next: (busy: (taker: Taker) => boolean) => Taker | null;
  /** Answers a connection that no node will serve, and closes it. */
  readonly refuse: (socket: Socket) => void;
}

interface Waiting {
  readonly socket: Socket;
  /** Monotonic ms of the accept. */
  readonly since: number;
}

interface Offer extends Waiting {
  readonly taker: Taker;
  readonly revoke: Cancel;
  /** `go` was said: only the end of the process brings the connection back. */
  granted: boolean;
}

export class HandOffs {
  private readonly options: HandOffsOptions;
  private readonly offers = new Map<number, Offer>();
  /** Offer each taker has not answered yet. One at a time: the channel passes handles singly, and a deaf node holds one. */
  private readonly unanswered = new Map<Taker, number>();
  private waiting: Waiting[] = [];
  private lastId = 0;
  private closed = false;

  constructor(options: HandOffsOptions) {
    this.options = options;
  }

  get size(): number {
    return this.waiting.length + this.offers.size;
  }

  accept(socket: Socket): void {
    if (this.closed || this.size >= this.options.max) {
      this.options.refuse(socket);
      return;
    }
    this.waiting.push({ socket, since: this.options.clock.monotonic() });
    this.pump();
  }

  /** Offers what waits. Called whenever a taker may have become free. */
  pump(): void {
    while (this.waiting.length > 0) {
      const taker = this.options.next((one) => this.unanswered.has(one));
      if (!taker) return;
      this.offer(this.waiting.shift() as Waiting, taker);
    }
  }

  ack(taker: Taker, id: number): void {
    this.answered(taker, id);
    const offer = this.offers.get(id);
    if (offer?.taker === taker) {
      offer.revoke();
      offer.granted = true;
      taker.say({ type: 'go', id });
    } else {
      taker.say({ type: 'no', id });
    }
    this.pump();
  }

  taken(taker: Taker, id: number): void {
    const offer = this.offers.get(id);
    if (offer?.taker !== taker) return;
    this.offers.delete(id);
    // Closes our copy only: the connection lives on in the node.
    offer.socket.destroy();
  }

  decline(taker: Taker, id: number): void {
    this.answered(taker, id);
    const offer = this.offers.get(id);
    if (offer?.taker === taker) this.takeBack(id, offer);
    this.pump();
  }

  /** The process is over and everything it had said was heard: what it did not take goes to others. */
  gone(taker: Taker): void {
    this.unanswered.delete(taker);
    for (const [id, offer] of this.offers) if (offer.taker === taker) this.takeBack(id, offer);
    this.pump();
  }

  /** Refuses what has waited too long. Called by the launcher's tick. */
  expire(): void {
    const latest = this.options.clock.monotonic() - this.options.waitMs;
    while (this.waiting[0] && this.waiting[0].since <= latest) {
      this.options.refuse((this.waiting.shift() as Waiting).socket);
    }
  }

  /** Refuses what waits and whatever comes later; what is on its way to a node may still arrive. */
  close(): void {
    this.closed = true;
    const left = this.waiting;
    this.waiting = [];
    for (const { socket } of left) this.options.refuse(socket);
  }

  private offer(connection: Waiting, taker: Taker): void {
    const id = ++this.lastId;
    const revoke = this.options.clock.after(this.options.ackMs, () => {
      const offer = this.offers.get(id);
      if (offer) this.takeBack(id, offer);
      this.pump();
    });
    this.unanswered.set(taker, id);
    this.offers.set(id, { ...connection, taker, revoke, granted: false });
    taker.offer(id, connection.socket);
  }

  private answered(taker: Taker, id: number): void {
    if (this.unanswered.get(taker) === id) this.unanswered.delete(taker);
  }

  private takeBack(id: number, offer: Offer): void {
    offer.revoke();
    this.offers.delete(id);
    if (this.closed) this.options.refuse(offer.socket);
    else this.waiting.unshift({ socket: offer.socket, since: offer.since });
  }
}
