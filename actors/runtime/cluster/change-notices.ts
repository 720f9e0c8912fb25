import { ownerOf } from '../actor/address.ts';
import type { CommittedStep, Engine } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { PeerOrigin } from './peers.ts';
import { renderSignal, type Signal } from './signal.ts';

/** Signals to a peer follow each other no closer. */
const GATHER_MS = 20;
const OWNERS_PER_SIGNAL_MAX = 512;
/** Addresses that one signal names; beyond them it names their owners alone. */
const ADDRESSES_PER_SIGNAL_MAX = 1_024;

/** `address` has committed a step; null: any actor of the owner may have. */
export type SeeChange = (address: string | null) => void;

export interface ChangeNoticesParts {
  readonly engine: Pick<Engine, 'watch'>;
  readonly clock: Clock;
  /** Bound on the owners watched on this node, and on those that one peer watches here. */
  readonly ownersMax: number;
  readonly broadcast: (signal: Signal) => void;
  readonly send: (incarnation: string, signal: Signal) => boolean;
}

interface WatchingPeer {
  readonly from: PeerOrigin;
  readonly owners: Set<string>;
  /** Gathered until the next signal: addresses, and owners of which anything may have changed. */
  changed: Set<string>;
  resync: Set<string>;
  pending: boolean;
  /** When the last signal was sent, monotonic ms. */
  sentAt: number;
}

/**
 * Notices that actors of an owner have committed a step, on any node. A notice is a hint to read the present state: it
 * has no content, several steps may give one notice, and after a lost link or a change of peers every watched owner
 * receives the notice that anything may have changed. So no change stays unnoticed while a peer is reachable.
 *
 * Each node tells its peers which owners it watches; a peer sends addresses at once, then gathers for GATHER_MS.
 */
export class ChangeNotices {
  readonly #parts: ChangeNoticesParts;
  readonly #here = new Map<string, Set<SeeChange>>();
  readonly #peers = new Map<string, WatchingPeer>();
  /** Incarnations of the peers that watch an owner. */
  readonly #watching = new Map<string, Set<string>>();

  constructor(parts: ChangeNoticesParts) {
    this.#parts = parts;
    parts.engine.watch((address) => this.#isWatched(address), this.#step);
  }

  /** Calls `see` for changes until the returned function is called. Throws if too many owners are watched. */
  watch(owner: string, see: SeeChange): () => void {
    let seers = this.#here.get(owner);
    if (seers === undefined) {
      if (this.#here.size >= this.#parts.ownersMax) throw new Error(`at most ${this.#parts.ownersMax} watched owners`);
      seers = new Set();
      this.#here.set(owner, seers);
      this.#parts.broadcast({ type: 'changes.watch', owners: [owner] });
    }
    const seer: SeeChange = (address) => see(address);
    seers.add(seer);
    return () => this.#unwatch(owner, seer);
  }

  #unwatch(owner: string, seer: SeeChange): void {
    const seers = this.#here.get(owner);
    if (!seers?.delete(seer) || seers.size > 0) return;
    this.#here.delete(owner);
    this.#parts.broadcast({ type: 'changes.unwatch', owners: [owner] });
  }

  /** Tells a peer whose link opened what is watched here. It answers with a notice for each owner. */
  linkUp(incarnation: string): void {
    const owners = [...this.#here.keys()];
    for (let at = 0; at < owners.length; at += OWNERS_PER_SIGNAL_MAX) {
      const part = owners.slice(at, at + OWNERS_PER_SIGNAL_MAX);
      this.#parts.send(incarnation, { type: 'changes.watch', owners: part });
    }
  }

  /** A link to a peer ended: notices may be lost. */
  linkDown(): void {
    for (const owner of this.#here.keys()) this.#notify(owner, null);
  }

  /** A peer watches owners. It is notified at once, because what was committed before is not gathered for it. */
  start(from: PeerOrigin, owners: readonly string[]): void {
    let peer = this.#peers.get(from.incarnation);
    if (peer === undefined) {
      peer = { from, owners: new Set(), changed: new Set(), resync: new Set(), pending: false, sentAt: -GATHER_MS };
      this.#peers.set(from.incarnation, peer);
    }
    for (const owner of owners) {
      if (peer.owners.size >= this.#parts.ownersMax) break;
      peer.owners.add(owner);
      const watching = this.#watching.get(owner);
      if (watching === undefined) this.#watching.set(owner, new Set([from.incarnation]));
      else watching.add(from.incarnation);
      peer.resync.add(owner);
    }
    this.#gather(peer);
  }

  stop(incarnation: string, owners: readonly string[]): void {
    const peer = this.#peers.get(incarnation);
    for (const owner of owners) if (peer?.owners.delete(owner)) this.#forget(incarnation, owner);
    if (peer?.owners.size === 0) this.#peers.delete(incarnation);
  }

  /** Forgets what a disconnected peer watches; it watches again when its link reopens. */
  lost(incarnation: string): void {
    const peer = this.#peers.get(incarnation);
    if (peer !== undefined) this.stop(incarnation, [...peer.owners]);
  }

  /** A peer's notice: addresses that have committed, and owners of which any actor may have. */
  saw(addresses: readonly string[], owners: readonly string[]): void {
    for (const owner of owners) this.#notify(owner, null);
    for (const address of addresses) this.#notify(ownerOf(address), address);
  }

  #notify(owner: string, address: string | null): void {
    const seers = this.#here.get(owner);
    if (seers === undefined) return;
    for (const see of seers) see(address);
  }

  #forget(incarnation: string, owner: string): void {
    const watching = this.#watching.get(owner);
    if (watching?.delete(incarnation) && watching.size === 0) this.#watching.delete(owner);
  }

  #isWatched(address: string): boolean {
    if (this.#here.size + this.#watching.size === 0) return false;
    const owner = ownerOf(address);
    return this.#here.has(owner) || this.#watching.has(owner);
  }

  readonly #step = ({ address }: CommittedStep): void => {
    const owner = ownerOf(address);
    this.#notify(owner, address);
    for (const incarnation of this.#watching.get(owner) ?? []) {
      const peer = this.#peers.get(incarnation) as WatchingPeer;
      if (peer.changed.size < ADDRESSES_PER_SIGNAL_MAX) peer.changed.add(address);
      else peer.resync.add(owner);
      this.#gather(peer);
    }
  };

  #gather(peer: WatchingPeer): void {
    if (peer.pending) return;
    peer.pending = true;
    const { clock } = this.#parts;
    clock.after(Math.max(0, peer.sentAt + GATHER_MS - clock.monotonic()), () => {
      peer.sentAt = clock.monotonic();
      const { changed, resync } = peer;
      [peer.changed, peer.resync, peer.pending] = [new Set(), new Set(), false];
      const signal: Signal = { type: 'changes.seen', addresses: [...changed], owners: [...resync] };
      peer.from.link.control(renderSignal(signal));
    });
  }
}
