import { ownerOf } from '../actor/address.ts';
import type { CommittedStep, StepReceiver } from '../durable/engine.ts';
import type { NodeLimits } from '../ports/limits.ts';
import { type Log, textOf } from '../ports/log.ts';
import type { Changes } from './cluster.ts';
import { MembershipNotices } from './membership/membership-notices.ts';
import type { PeerOrigin } from './peers.ts';
import { Resumptions, type ResumptionsParts } from './shards/resumptions.ts';
import { renderSignal, type Signal } from './signal.ts';

/** Signals to a peer follow each other no closer. */
const GATHER_MS = 20;
const TOPICS_PER_SIGNAL_MAX = 512;
/** Addresses that one signal names; beyond them it names their owners alone. */
const ADDRESSES_PER_SIGNAL_MAX = 1_024;
/** Steps that one signal holds; further ones are dropped. */
const STEPS_PER_SIGNAL_MAX = 256;
const PATTERN_CHARS_MAX = 256;
/** Begins the topic of a pattern; the topic of an owner is the owner, which contains no space. */
const STEPS = 'steps ';

/** A step with its content, for the topic of a pattern; its address, or null for any of the owner, for an owner's. */
type See = (address: string | null, step: CommittedStep | null) => void;

interface WatchersParts extends Omit<ResumptionsParts, 'limits'> {
  readonly limits: Pick<NodeLimits, 'watchersMax' | 'watchedOwnersMax' | 'shards'>;
  readonly log: Log;
  readonly broadcast: (signal: Signal) => void;
  readonly send: (incarnation: string, signal: Signal) => boolean;
}

interface WatchingPeer {
  readonly from: PeerOrigin;
  readonly topics: Set<string>;
  /** Gathered until the next signal; of `owners` any actor may have changed. */
  readonly addresses: Set<string>;
  readonly owners: Set<string>;
  readonly steps: Set<CommittedStep>;
  pending: boolean;
  /** When the last signal was sent, monotonic ms. */
  sentAt: number;
}

/**
 * Committed steps of every node for the watchers on this node: with content by pattern of their address, for operators,
 * or as notices by owner. Actors never wait for a watcher. Steps beyond one signal are dropped. A notice is a hint to
 * read the present state: several steps may give one notice, and after a lost link or too many changes each watched
 * owner receives the notice that anything may have changed, so no change stays unnoticed while a peer is reachable.
 *
 * Each node sends its peers the topics that it watches; a peer sends what it has at once, then gathers for GATHER_MS.
 */
export class ClusterWatchers implements Changes, StepReceiver {
  /** Of this node's own view: nothing is sent to peers. */
  readonly members: MembershipNotices;
  readonly resumptions: Resumptions;
  readonly #parts: WatchersParts;
  /** By topic. */
  readonly #here = new Map<string, Set<See>>();
  readonly #peers = new Map<string, WatchingPeer>();
  /** The peers that watch a topic. */
  readonly #watching = new Map<string, Set<WatchingPeer>>();
  /** The matchers of the patterns among the topics watched here or by peers. */
  readonly #patterns = new Map<string, (address: string) => boolean>();
  #stepWatchers = 0;

  constructor(parts: WatchersParts) {
    this.#parts = parts;
    this.members = new MembershipNotices(parts);
    this.resumptions = new Resumptions(parts);
  }

  /** Calls `see` for the steps of an owner's actors until the returned function is called. Throws at the bound. */
  watch(owner: string, see: (address: string | null) => void): () => void {
    const { watchedOwnersMax: max } = this.#parts.limits;
    if (!this.#here.has(owner) && this.#here.size >= max) throw new Error(`at most ${max} watched owners`);
    return this.#add(owner, (address) => see(address));
  }

  /** The same for the steps of all actors whose address matches a pattern. Throws if there are too many watchers. */
  watchSteps(pattern: string, see: (step: CommittedStep) => void): () => void {
    if (this.#stepWatchers >= this.#parts.limits.watchersMax) throw new Error('too many watchers at once');
    this.#stepWatchers++;
    const stop = this.#add(STEPS + pattern, (_, step) => {
      if (step !== null) see(step);
    });
    let isOver = false;
    return () => {
      if (!isOver) this.#stepWatchers--;
      isOver = true;
      stop();
    };
  }

  /** True if a step of this actor is to be passed to `committed`. */
  isWatched(address: string): boolean {
    if (this.resumptions.areWatched) return true;
    if (this.#here.size + this.#watching.size === 0) return false;
    const owner = ownerOf(address);
    if (this.#here.has(owner) || this.#watching.has(owner)) return true;
    for (const matches of this.#patterns.values()) if (matches(address)) return true;
    return false;
  }

  /** An actor of this node has committed a step. */
  committed(step: CommittedStep): void {
    const { address } = step;
    const owner = ownerOf(address);
    this.resumptions.see(step);
    this.#notify(owner, address, null);
    for (const peer of this.#watching.get(owner) ?? []) {
      if (peer.addresses.size < ADDRESSES_PER_SIGNAL_MAX) peer.addresses.add(address);
      else peer.owners.add(owner);
      this.#gather(peer);
    }
    for (const [topic, matches] of this.#patterns) {
      if (!matches(address)) continue;
      this.#notify(topic, address, step);
      for (const peer of this.#watching.get(topic) ?? []) {
        if (peer.steps.size < STEPS_PER_SIGNAL_MAX) peer.steps.add(step);
        this.#gather(peer);
      }
    }
  }

  /** Sends a peer whose link opened the topics that are watched here. It answers with a notice for each owner. */
  linkUp(incarnation: string): void {
    const topics = [...this.#here.keys()];
    for (let at = 0; at < topics.length; at += TOPICS_PER_SIGNAL_MAX) {
      this.#parts.send(incarnation, { type: 'watch.start', topics: topics.slice(at, at + TOPICS_PER_SIGNAL_MAX) });
    }
  }

  /** A link to a peer ended: notices may be lost. */
  linkDown(): void {
    for (const topic of this.#here.keys()) if (!topic.startsWith(STEPS)) this.#notify(topic, null, null);
  }

  /** A peer watches topics. It is notified of its owners at once: what was committed before is not gathered for it. */
  start(from: PeerOrigin, topics: readonly string[]): void {
    let peer = this.#peers.get(from.incarnation);
    if (peer === undefined) {
      const gathered = { addresses: new Set<string>(), owners: new Set<string>(), steps: new Set<CommittedStep>() };
      peer = { from, topics: new Set(), ...gathered, pending: false, sentAt: -GATHER_MS };
      this.#peers.set(from.incarnation, peer);
    }
    const { watchersMax, watchedOwnersMax } = this.#parts.limits;
    for (const topic of topics) {
      if (peer.topics.size >= watchersMax + watchedOwnersMax) break;
      peer.topics.add(topic);
      const watching = this.#watching.get(topic);
      if (watching === undefined) this.#watching.set(topic, new Set([peer]));
      else watching.add(peer);
      if (topic.startsWith(STEPS)) this.#match(topic);
      else peer.owners.add(topic);
    }
    if (peer.owners.size > 0) this.#gather(peer);
  }

  stop(incarnation: string, topics: readonly string[]): void {
    const peer = this.#peers.get(incarnation);
    if (peer === undefined) return;
    for (const topic of topics) {
      if (!peer.topics.delete(topic)) continue;
      const watching = this.#watching.get(topic);
      if (watching?.delete(peer) && watching.size === 0) this.#watching.delete(topic);
      this.#unmatch(topic);
    }
    if (peer.topics.size === 0) this.#peers.delete(incarnation);
  }

  /** Forgets what a disconnected peer watches; it watches again when its link reopens. */
  lost(incarnation: string): void {
    const peer = this.#peers.get(incarnation);
    if (peer !== undefined) this.stop(incarnation, [...peer.topics]);
  }

  /** What a peer has gathered for this node. */
  seen({ addresses, owners, steps }: Extract<Signal, { readonly type: 'watch.seen' }>): void {
    for (const owner of owners) this.#notify(owner, null, null);
    for (const address of addresses) this.#notify(ownerOf(address), address, null);
    for (const step of steps) {
      for (const [topic, matches] of this.#patterns) if (matches(step.address)) this.#notify(topic, step.address, step);
    }
  }

  #add(topic: string, see: See): () => void {
    let sees = this.#here.get(topic);
    if (sees === undefined) {
      sees = new Set();
      this.#here.set(topic, sees);
      if (topic.startsWith(STEPS)) this.#match(topic);
      this.#parts.broadcast({ type: 'watch.start', topics: [topic] });
    }
    sees.add(see);
    return () => this.#remove(topic, see);
  }

  #remove(topic: string, see: See): void {
    const sees = this.#here.get(topic);
    if (!sees?.delete(see) || sees.size > 0) return;
    this.#here.delete(topic);
    this.#unmatch(topic);
    this.#parts.broadcast({ type: 'watch.stop', topics: [topic] });
  }

  #notify(topic: string, address: string | null, step: CommittedStep | null): void {
    for (const see of this.#here.get(topic) ?? []) {
      try {
        see(address, step);
      } catch (error) {
        this.#remove(topic, see);
        this.#parts.log({ level: 'warn', message: 'a watcher threw and was removed', why: textOf(error) });
      }
    }
  }

  #match(topic: string): void {
    if (!this.#patterns.has(topic)) this.#patterns.set(topic, matcherOf(topic.slice(STEPS.length)));
  }

  #unmatch(topic: string): void {
    if (!this.#here.has(topic) && !this.#watching.has(topic)) this.#patterns.delete(topic);
  }

  #gather(peer: WatchingPeer): void {
    if (peer.pending) return;
    peer.pending = true;
    const { clock } = this.#parts;
    clock.after(Math.max(0, peer.sentAt + GATHER_MS - clock.monotonic()), () => {
      peer.pending = false;
      peer.sentAt = clock.monotonic();
      const { from, addresses, owners, steps } = peer;
      from.link.control(
        renderSignal({ type: 'watch.seen', addresses: [...addresses], owners: [...owners], steps: [...steps] }),
      );
      for (const gathered of [addresses, owners, steps]) gathered.clear();
    });
  }
}

/** `*` matches any run of characters; every other character matches itself. */
export function matcherOf(pattern: string): (address: string) => boolean {
  const parts = pattern.slice(0, PATTERN_CHARS_MAX).split('*');
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return (address) => address === first;
  const last = rest.pop() ?? '';
  return (address) => {
    if (!address.startsWith(first) || address.length < first.length + last.length) return false;
    let at = first.length;
    for (const part of rest) {
      const found = address.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return address.length - last.length >= at && address.endsWith(last);
  };
}
