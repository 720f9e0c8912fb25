import type { CommittedStep, Engine } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import { ChangeNotices } from './change-notices.ts';
import type { PeerOrigin } from './peers.ts';
import { renderSignal, type Signal } from './signal.ts';

const STEPS_PER_SIGNAL_MAX = 256;
const GATHER_MS = 20;
const PATTERN_CHARS_MAX = 256;

export type See = (step: CommittedStep) => void;

export interface WatchersParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly watchersMax: number;
  readonly watchedOwnersMax: number;
  readonly broadcast: (signal: Signal) => void;
  readonly send: (incarnation: string, signal: Signal) => boolean;
}

/**
 * Committed steps of every node for the watchers on this node. A peer gathers its steps for GATHER_MS and drops what
 * exceeds one signal in that time: a watcher may miss steps, but actors never wait for it.
 */
export class ClusterWatchers {
  /** Notices without content, for clients of one owner. */
  readonly changes: ChangeNotices;
  readonly #parts: WatchersParts;
  readonly #here = new Map<number, { readonly pattern: string; readonly see: See; readonly stop: () => void }>();
  readonly #forPeers = new Map<string, () => void>();
  #lastId = 0;

  constructor(parts: WatchersParts) {
    this.#parts = parts;
    const { engine, clock, watchedOwnersMax: ownersMax, broadcast, send } = parts;
    this.changes = new ChangeNotices({ engine, clock, ownersMax, broadcast, send });
  }

  /** Throws if there are too many watchers. */
  watch(pattern: string, see: See): () => void {
    if (this.#here.size >= this.#parts.watchersMax) throw new Error('too many watchers at once');
    this.#lastId += 1;
    const id = this.#lastId;
    const stop = this.#parts.engine.watch(matcherOf(pattern), see);
    this.#here.set(id, { pattern, see, stop });
    this.#parts.broadcast({ type: 'watch.start', id, pattern });
    return () => {
      if (!this.#here.delete(id)) return;
      stop();
      this.#parts.broadcast({ type: 'watch.stop', id });
    };
  }

  /** Sends this node's watch patterns to a peer whose link opened. */
  linkUp(incarnation: string): void {
    for (const [id, { pattern }] of this.#here) this.#parts.send(incarnation, { type: 'watch.start', id, pattern });
    this.changes.linkUp(incarnation);
  }

  /** Starts sending this node's steps to a peer's watcher. */
  start(from: PeerOrigin, id: number, pattern: string): void {
    const key = `${from.incarnation}/${id}`;
    if (this.#forPeers.has(key) || this.#forPeers.size >= this.#parts.watchersMax) return;
    let steps: CommittedStep[] = [];
    const flush = (): void => {
      from.link.control(renderSignal({ type: 'watch.steps', id, steps }));
      steps = [];
    };
    const stop = this.#parts.engine.watch(matcherOf(pattern), (step) => {
      if (steps.length >= STEPS_PER_SIGNAL_MAX) return;
      steps.push(step);
      if (steps.length === 1) this.#parts.clock.after(GATHER_MS, flush);
    });
    this.#forPeers.set(key, stop);
  }

  stop(incarnation: string, id: number): void {
    const key = `${incarnation}/${id}`;
    this.#forPeers.get(key)?.();
    this.#forPeers.delete(key);
  }

  /** Stops a disconnected peer's watchers; it starts them again when its link reopens. */
  lost(incarnation: string): void {
    this.changes.lost(incarnation);
    for (const key of [...this.#forPeers.keys()]) {
      if (!key.startsWith(`${incarnation}/`)) continue;
      this.#forPeers.get(key)?.();
      this.#forPeers.delete(key);
    }
  }

  saw(id: number, steps: readonly CommittedStep[]): void {
    const watcher = this.#here.get(id);
    for (const step of steps) watcher?.see(step);
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
