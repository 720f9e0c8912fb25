import type { Cancel, Clock, Random } from '../ports/clock.ts';
import type { NodeLimits } from '../ports/limits.ts';
import { type Log, textOf } from '../ports/log.ts';
import type { NodeRow } from '../ports/store.ts';
import {
  type AnnouncedCharts,
  type Envelope,
  type Hello,
  type Link,
  LinkFailed,
  type LinkReceiver,
  LinkRefused,
  type Transport,
  type TransportListener,
  type Welcome,
} from '../ports/transport.ts';
import { greet, judge, type Terms, trusts } from './handshake.ts';
import { Attention } from './membership/attention.ts';
import { isAlive } from './membership/member.ts';
import { parseSignal, renderSignal, type Signal } from './signal.ts';

const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 250;
/**
 * Interval of the check for silent peers: a change is written to this node's row at once, not with the next heartbeat.
 */
const CHECK_MS = 100;
/** A longer time between two checks is a stall of this node's own event loop and counts as this many of them. */
const ATTENTION_CHECKS_MAX = 3;
/** A node that left closes its links itself after its last answers; after this time this node closes them. */
const FAREWELL_MS = 2_000;

/** The peer that a message came from, and the link for the reply. */
export interface PeerOrigin {
  readonly incarnation: string;
  readonly link: Link;
}

export interface PeersHost {
  /** Asks and tells of a peer; answers return over its link. */
  asked(from: PeerOrigin, batch: readonly Envelope[]): void;
  /** Answers to asks that this node sent over its own link. */
  answered(incarnation: string, batch: readonly Envelope[]): void;
  signalled(from: PeerOrigin, signal: Signal): void;
  /** This node's own link to a peer is open. */
  up(incarnation: string, link: Link): void;
  /** That link has ended. */
  down(incarnation: string, unsent: readonly Envelope[]): void;
  /** A peer has opened its link to this node. */
  greeted(from: PeerOrigin): void;
  /** The peer's link has ended. */
  parted(incarnation: string): void;
  /** A link ended or a port refused: check whether that node is still alive. */
  suspect(incarnation: string): void;
  /** An unknown node dialled, a peer refused this node, or the set of heard peers changed: read the store and beat. */
  resync(): void;
  /** A peer considers this node dead. */
  fenced(): void;
  /** A node of this cluster dialled that this node can never link with. */
  unfit(incarnation: string, why: string): void;
  isDead(incarnation: string): boolean;
  /** False once the node is dead or has left: no new link is opened to it. */
  isWanted(incarnation: string): boolean;
}

interface PeersParts {
  readonly terms: Terms;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: NodeLimits;
  readonly log: Log;
}

interface Peer {
  readonly row: NodeRow;
  out: Link | null;
  failures: number;
  reason: string;
  retry: Cancel;
}

/** The reason by which a link is refused to a dead incarnation; that incarnation recognises it. */
const DEAD = 'this incarnation is dead';

class NotWhomWeDialled extends Error {
  override readonly name = 'NotWhomWeDialled';
}

/**
 * Keeps one outgoing link to every other living node, with quick retries, and accepts their incoming links. It records
 * when each peer was last heard. A link belongs to one incarnation and is never reused for the next.
 */
export class Peers implements TransportListener {
  readonly incarnation: string;
  readonly #parts: PeersParts;
  readonly #host: PeersHost;
  readonly #peers = new Map<string, Peer>();
  readonly #guests = new Map<string, Link>();
  /** In ms of attention. */
  readonly #heardAt = new Map<string, number>();
  readonly #attention = new Attention(CHECK_MS * ATTENTION_CHECKS_MAX);
  readonly #charts = new Map<string, AnnouncedCharts | null>();
  #ping: Cancel = () => {};
  #check: Cancel = () => {};
  #reaches = '';
  #closed = false;

  constructor(parts: PeersParts, host: PeersHost) {
    this.#parts = parts;
    this.#host = host;
    this.incarnation = parts.terms.incarnation;
    this.#schedulePing();
    this.#scheduleCheck();
  }

  /**
   * Incarnations heard recently, for the heartbeat row. A stall of this node's own event loop is no silence of others:
   * what they sent meanwhile is read after the timers of the stall.
   */
  reaches(): readonly string[] {
    const since = this.#attention.at(this.#parts.clock.monotonic()) - this.#parts.limits.reachableMs;
    return [...this.#heardAt].filter(([, at]) => at >= since).map(([incarnation]) => incarnation);
  }

  /** True when both this node's link and the peer's are open. */
  linked(incarnation: string): boolean {
    return (this.#peers.get(incarnation)?.out ?? null) !== null && this.#guests.has(incarnation);
  }

  /** The chart versions of a peer's build; null until it has announced them. */
  chartsOf(incarnation: string): AnnouncedCharts | null {
    return this.#charts.get(incarnation) ?? null;
  }

  /** Opens links to new nodes and closes those to nodes that are dead or have left. */
  follow(nodes: readonly NodeRow[]): void {
    const alive = new Map(nodes.filter(isAlive).map((row) => [row.incarnation, row]));
    alive.delete(this.incarnation);
    for (const row of alive.values()) {
      if (this.#peers.has(row.incarnation) || this.#closed) continue;
      const peer: Peer = { row, out: null, failures: 0, reason: '', retry: () => {} };
      this.#peers.set(row.incarnation, peer);
      void this.#dial(peer);
    }
  }

  /** Ends an incarnation: its links are closed and its messages are dropped. */
  forget(incarnation: string): void {
    const peer = this.#peers.get(incarnation);
    this.#peers.delete(incarnation);
    this.#heardAt.delete(incarnation);
    this.#charts.delete(incarnation);
    peer?.retry();
    peer?.out?.close('the peer is gone');
    this.#guests.get(incarnation)?.close('the peer is gone');
  }

  /** An incarnation left in order: it may still answer open asks. */
  dismiss(incarnation: string): void {
    const peer = this.#peers.get(incarnation);
    peer?.retry();
    this.#parts.clock.after(FAREWELL_MS, () => this.forget(incarnation));
  }

  /** False if there is no open link. */
  send(incarnation: string, signal: Signal): boolean {
    return this.#peers.get(incarnation)?.out?.control(renderSignal(signal)) ?? false;
  }

  broadcast(signal: Signal): void {
    const text = renderSignal(signal);
    for (const peer of this.#peers.values()) peer.out?.control(text);
  }

  close(): void {
    this.#closed = true;
    this.#ping();
    this.#check();
    for (const incarnation of [...this.#peers.keys(), ...this.#guests.keys()]) this.forget(incarnation);
  }

  admit(hello: Hello): ReturnType<TransportListener['admit']> {
    if (this.#closed) return { refused: 'this node is closing' };
    const verdict = judge(hello, this.#parts.terms);
    if ('refused' in verdict && verdict.isProven) this.#host.unfit(hello.incarnation, verdict.refused);
    if ('welcome' in verdict && this.#host.isDead(hello.incarnation)) return { refused: DEAD };
    return verdict;
  }

  accepted(hello: Hello, link: Link): LinkReceiver {
    const { incarnation } = hello;
    const origin: PeerOrigin = { incarnation, link };
    this.#guests.set(incarnation, link);
    this.#charts.set(incarnation, hello.charts);
    this.#heard(incarnation);
    if (!this.#peers.has(incarnation)) this.#host.resync();
    this.#host.greeted(origin);
    return {
      envelopes: (batch) => {
        if (this.#heard(incarnation)) this.#host.asked(origin, batch);
      },
      control: (text) => this.#signal(origin, text),
      closed: () => {
        if (this.#guests.get(incarnation) !== link) return;
        this.#guests.delete(incarnation);
        this.#host.parted(incarnation);
        if (!this.#closed) this.#host.suspect(incarnation);
      },
    };
  }

  async #dial(peer: Peer): Promise<void> {
    const { transport, terms } = this.#parts;
    const { incarnation, address } = peer.row;
    try {
      await transport.dial(address, greet(terms, incarnation), (link, welcome) => this.#met(peer, link, welcome));
    } catch (error) {
      this.#warn(peer, textOf(error));
      if (error instanceof LinkRefused) {
        if (error.message.includes(DEAD)) this.#host.fenced();
        else this.#host.resync();
      }
      // Another incarnation may use that address by now.
      const other = error instanceof LinkRefused || error instanceof NotWhomWeDialled;
      if (other || (error instanceof LinkFailed && error.refusedByPort)) this.#host.suspect(incarnation);
      this.#retry(peer);
    }
  }

  /** The other end accepted. Runs in one turn, so that the link's first message, and its end, find it open. */
  #met(peer: Peer, link: Link, welcome: Welcome): LinkReceiver {
    const { incarnation, address, name } = peer.row;
    if (welcome.name !== name || !trusts(welcome, incarnation, this.#parts.terms)) {
      throw new NotWhomWeDialled(
        `${address} answers as another node, another incarnation or without the cluster secret`,
      );
    }
    if (this.#peers.get(incarnation) !== peer || this.#closed) throw new LinkFailed('the peer is gone', false);
    peer.out = link;
    peer.failures = 0;
    peer.reason = '';
    this.#charts.set(incarnation, welcome.charts);
    this.#heard(incarnation);
    this.#host.up(incarnation, link);
    return this.#receiverOf(peer, link);
  }

  #receiverOf(peer: Peer, link: Link): LinkReceiver {
    const { incarnation } = peer.row;
    const origin: PeerOrigin = { incarnation, link };
    return {
      envelopes: (batch) => {
        if (this.#heard(incarnation)) this.#host.answered(incarnation, batch);
      },
      control: (text) => this.#signal(origin, text),
      closed: (_reason, unsent) => {
        if (peer.out !== link) return;
        peer.out = null;
        this.#host.down(incarnation, unsent);
        if (this.#closed) return;
        this.#host.suspect(incarnation);
        this.#retry(peer);
      },
    };
  }

  #retry(peer: Peer): void {
    const { incarnation } = peer.row;
    if (this.#closed || this.#peers.get(incarnation) !== peer || !this.#host.isWanted(incarnation)) return;
    peer.failures += 1;
    const ceiling = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(peer.failures, 4));
    const delayMs = RETRY_MS_MIN + (ceiling - RETRY_MS_MIN) * this.#parts.random.fraction();
    peer.retry = this.#parts.clock.after(delayMs, () => void this.#dial(peer));
  }

  /** Logs once per reason, not once per attempt. */
  #warn(peer: Peer, reason: string): void {
    if (peer.reason === reason || this.#closed) return;
    peer.reason = reason;
    this.#parts.log({ level: 'warn', message: 'no link', peer: peer.row.name, why: reason });
  }

  #signal(from: PeerOrigin, text: string): void {
    if (!this.#heard(from.incarnation)) return;
    let signal: Signal | null;
    try {
      signal = parseSignal(text);
    } catch (error) {
      this.#parts.log({
        level: 'error',
        message: 'a peer sent an invalid signal',
        from: from.incarnation,
        why: textOf(error),
      });
      from.link.close('a control message of the peer is not valid');
      return;
    }
    if (signal !== null && signal.type !== 'ping') this.#host.signalled(from, signal);
  }

  /** False if the sender is known to be dead: its messages are dropped. */
  #heard(incarnation: string): boolean {
    if (this.#closed || this.#host.isDead(incarnation)) return false;
    this.#heardAt.set(incarnation, this.#attention.at(this.#parts.clock.monotonic()));
    return true;
  }

  #schedulePing(): void {
    this.#ping = this.#parts.clock.after(this.#parts.limits.heartbeatMs, () => {
      this.broadcast({ type: 'ping' });
      this.#schedulePing();
    });
  }

  #scheduleCheck(): void {
    this.#check = this.#parts.clock.after(CHECK_MS, () => {
      this.#attention.advance(this.#parts.clock.monotonic());
      const reaches = this.reaches().join();
      if (reaches !== this.#reaches) this.#host.resync();
      this.#reaches = reaches;
      this.#scheduleCheck();
    });
  }
}
