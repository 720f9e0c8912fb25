/**
 * The table of accepted connections that no node serves yet. A connection leaves it only by a node's `taken` or a
 * refusal. Until then the launcher keeps its copy unread, so that another node can serve it from the first byte if the
 * first one is dead, stopped or unresponsive. Independent of processes; nodes are passed in.
 */
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import { clientAddress } from '../../http/client-addresses.ts';
import type { ToNode } from './message.ts';
import { type WaitingSocket, WaitingSockets } from './waiting-sockets.ts';

/** One life of one node process, as seen by the hand-off. */
export interface HandoffNode {
  send(message: ToNode): void;
  offer(id: number, socket: Socket): void;
}

interface SocketHandoffOptions {
  readonly clock: Clock;
  /** An offer without an acknowledgement for this long goes to another node. */
  readonly ackMs: number;
  /** Bound of this table; further connections are refused at once. */
  readonly max: number;
  /** A connection that waited this long for a node is refused. */
  readonly waitMs: number;
  /** The next node in turn that may be offered a connection and is not `busy`; null if there is none now. */
  readonly next: (busy: (node: HandoffNode) => boolean) => HandoffNode | null;
  /** Answers a connection that no node can serve, and closes it. */
  readonly refuse: (socket: Socket) => void;
}

interface Offer extends WaitingSocket {
  readonly node: HandoffNode;
  readonly revoke: Cancel;
  /** `go` was sent: only the end of the process returns the connection. */
  granted: boolean;
}

export class SocketHandoff {
  private readonly options: SocketHandoffOptions;
  private readonly offers = new Map<number, Offer>();
  /**
   * The unanswered offer of each node. One at a time: the channel transfers handles singly, and an unresponsive node
   * holds one.
   */
  private readonly unanswered = new Map<HandoffNode, number>();
  private readonly waiting = new WaitingSockets();
  private lastId = 0;
  private closed = false;

  constructor(options: SocketHandoffOptions) {
    this.options = options;
  }

  get size(): number {
    return this.waiting.size + this.offers.size;
  }

  accept(socket: Socket): void {
    const address = clientAddress(socket.remoteAddress);
    if (this.closed || (this.size >= this.options.max && !this.displaceFor(address))) {
      this.options.refuse(socket);
      return;
    }
    this.waiting.add({ socket, address, since: this.options.clock.monotonic() });
    this.pump();
  }

  /** Offers waiting connections. Called whenever a node may have become free. */
  pump(): void {
    while (this.waiting.size > 0) {
      const node = this.options.next((one) => this.unanswered.has(one));
      if (!node) return;
      this.offer(this.waiting.take() as WaitingSocket, node);
    }
  }

  ack(node: HandoffNode, id: number): void {
    this.answered(node, id);
    const offer = this.offers.get(id);
    if (offer?.node === node) {
      offer.revoke();
      offer.granted = true;
      node.send({ type: 'go', id });
    } else {
      node.send({ type: 'no', id });
    }
    this.pump();
  }

  taken(node: HandoffNode, id: number): void {
    const offer = this.offers.get(id);
    if (offer?.node !== node) return;
    this.offers.delete(id);
    // Closes our copy only; the connection stays open in the node.
    offer.socket.destroy();
  }

  decline(node: HandoffNode, id: number): void {
    this.answered(node, id);
    const offer = this.offers.get(id);
    if (offer?.node === node) this.takeBack(id, offer);
    this.pump();
  }

  /**
   * Called when the process has ended and its channel was read to the end: its untaken connections go to other nodes.
   */
  gone(node: HandoffNode): void {
    this.unanswered.delete(node);
    for (const [id, offer] of this.offers) if (offer.node === node) this.takeBack(id, offer);
    this.pump();
  }

  /** Refuses connections that waited too long. Called by the launcher's tick. */
  expire(): void {
    const latest = this.options.clock.monotonic() - this.options.waitMs;
    for (const { socket } of this.waiting.takeUntil(latest)) this.options.refuse(socket);
  }

  /** Refuses waiting and later connections; those already offered may still be taken. */
  close(): void {
    this.closed = true;
    for (const { socket } of this.waiting.takeUntil(Number.POSITIVE_INFINITY)) this.options.refuse(socket);
  }

  /** In a full table, an address with fewer connections replaces the newest one of the address with the most. */
  private displaceFor(address: string): boolean {
    const displaced = this.waiting.displaceFor(address);
    if (displaced !== null) this.options.refuse(displaced.socket);
    return displaced !== null;
  }

  private offer(connection: WaitingSocket, node: HandoffNode): void {
    const id = ++this.lastId;
    const revoke = this.options.clock.after(this.options.ackMs, () => {
      const offer = this.offers.get(id);
      if (offer) this.takeBack(id, offer);
      this.pump();
    });
    this.unanswered.set(node, id);
    this.offers.set(id, { ...connection, node, revoke, granted: false });
    node.offer(id, connection.socket);
  }

  private answered(node: HandoffNode, id: number): void {
    if (this.unanswered.get(node) === id) this.unanswered.delete(node);
  }

  private takeBack(id: number, offer: Offer): void {
    offer.revoke();
    this.offers.delete(id);
    if (this.closed) this.options.refuse(offer.socket);
    else this.waiting.addFirst({ socket: offer.socket, address: offer.address, since: offer.since });
  }
}
