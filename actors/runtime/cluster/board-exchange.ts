import type { Json } from '../actor/event.ts';
import type { Publication } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { Board } from './cluster.ts';
import type { NoticeBoard } from './notice-board.ts';
import type { PeerOrigin } from './peers.ts';
import { type BoardDigest, renderSignal, type Signal } from './signal.ts';

const DIGEST_ENTRIES_MAX = 2_000;
/** Bound on the values' text in one signal, in UTF-16 units; a single longer value still gets a signal of its own. */
const ITEMS_TEXT_MAX = 128 * 1024;
const DIGEST_TOTAL_MAX = 1_000_000;
/** Values of a dead node that its peers send on: younger than this, which is twice the longest detection of a death. */
const RELAYED_MS = 10_000;
const RELAYED_MAX = 5_000;

interface BoardExchangeParts {
  /** Incarnation of this node. */
  readonly self: string;
  /** Store time in ms. */
  readonly now: () => number;
  readonly board: NoticeBoard;
  readonly clock: Clock;
  readonly broadcast: (signal: Signal) => void;
  readonly send: (incarnation: string, signal: Signal) => boolean;
}

/**
 * Synchronises the boards of all nodes. New values go to every peer at the end of the event-loop turn. When a peer
 * opens its link, this node sends a digest of its board and the peer sends newer values; each direction runs
 * independently.
 */
export class BoardExchange implements Board {
  readonly #parts: BoardExchangeParts;
  readonly #digests = new Map<string, BoardDigest[]>();
  #fresh: Publication[] = [];
  #sequence = 0;

  constructor(parts: BoardExchangeParts) {
    this.#parts = parts;
  }

  topic(name: string): ReadonlyMap<string, Json> {
    return this.#parts.board.topic(name);
  }

  onChange(name: string, changed: () => void): () => void {
    return this.#parts.board.onChange(name, changed);
  }

  read(topic: string, key: string): Json {
    return this.#parts.board.read(topic, key);
  }

  /** Later than every value of the key that this node has seen, even from a node whose clock is ahead. */
  publish(topic: string, key: string, value: Json): void {
    const { self: address, now, board } = this.#parts;
    const epoch = Math.max(Math.floor(now()), board.epochOf(topic, key) + 1);
    this.#sequence += 1;
    this.published({ topic, key, value, address, epoch, version: this.#sequence });
  }

  /** A value published by this node or by its engine. */
  published(item: Publication): void {
    this.#parts.board.apply([item]);
    this.#fresh.push(item);
    if (this.#fresh.length === 1) this.#parts.clock.after(0, () => this.#flush());
  }

  /** Sends the digest of this board to a peer that opened its link. */
  greeted(from: PeerOrigin): void {
    const digest = this.#parts.board.digest();
    let start = 0;
    do {
      const entries = digest.slice(start, start + DIGEST_ENTRIES_MAX);
      start += DIGEST_ENTRIES_MAX;
      from.link.control(renderSignal({ type: 'board.digest', entries, last: start >= digest.length }));
    } while (start < digest.length);
  }

  /** Collects a peer's digest; once it is complete, sends the values the peer lacks. */
  compare(incarnation: string, entries: readonly BoardDigest[], last: boolean): void {
    const known = this.#digests.get(incarnation) ?? [];
    if (known.length + entries.length <= DIGEST_TOTAL_MAX) known.push(...entries);
    this.#digests.set(incarnation, known);
    if (!last) return;
    this.#digests.delete(incarnation);
    for (const items of chunksOf(this.#parts.board.newerThan(known))) {
      this.#parts.send(incarnation, { type: 'board.items', items });
    }
    this.#parts.send(incarnation, { type: 'board.synced' });
  }

  /**
   * A node is dead or has left. Its last values may have reached only some of its peers, so each of these sends them
   * on; a value that is known already changes nothing.
   */
  gone(incarnation: string): void {
    this.#digests.delete(incarnation);
    const { board, now, broadcast } = this.#parts;
    const last = board.ofNode(incarnation, now() - RELAYED_MS).slice(-RELAYED_MAX);
    for (const items of chunksOf(last)) broadcast({ type: 'board.items', items });
  }

  #flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const items of chunksOf(fresh)) this.#parts.broadcast({ type: 'board.items', items });
  }
}

/** Splits a list into parts that each fit one signal. */
function* chunksOf(items: readonly Publication[]): Generator<readonly Publication[]> {
  let chunk: Publication[] = [];
  let size = 0;
  for (const item of items) {
    const length = JSON.stringify(item.value).length + item.key.length + item.topic.length + item.address.length;
    if (chunk.length > 0 && size + length > ITEMS_TEXT_MAX) {
      yield chunk;
      chunk = [];
      size = 0;
    }
    chunk.push(item);
    size += length;
  }
  if (chunk.length > 0) yield chunk;
}
