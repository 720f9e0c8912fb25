import type { Publication } from '../durable/engine/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { NoticeBoard } from './notice-board.ts';
import type { PeerOrigin } from './peers.ts';
import { type BoardDigest, renderSignal, type Signal } from './signal.ts';

const DIGEST_ENTRIES_MAX = 2_000;
/** Text of the values in one signal, in UTF-16 units; one value alone may be longer. */
const ITEMS_TEXT_MAX = 128 * 1024;
const DIGEST_TOTAL_MAX = 1_000_000;

export interface BoardExchangeParts {
  readonly board: NoticeBoard;
  readonly clock: Clock;
  readonly broadcast: (signal: Signal) => void;
  readonly send: (incarnation: string, signal: Signal) => boolean;
}

/**
 * Keeps the boards of all nodes alike. New values go to every peer at the end of the turn. When a peer opens its link,
 * this node tells it what it holds, and the peer sends what is newer; each direction of a pair does so for itself.
 */
export class BoardExchange {
  readonly #parts: BoardExchangeParts;
  readonly #digests = new Map<string, BoardDigest[]>();
  #fresh: Publication[] = [];

  constructor(parts: BoardExchangeParts) {
    this.#parts = parts;
  }

  /** A value published by this node's engine. */
  publish(item: Publication): void {
    this.#parts.board.apply([item]);
    this.#fresh.push(item);
    if (this.#fresh.length === 1) this.#parts.clock.after(0, () => this.#flush());
  }

  /** A peer has opened its link: it learns what this node holds. */
  greeted(from: PeerOrigin): void {
    const digest = this.#parts.board.digest();
    let start = 0;
    do {
      const entries = digest.slice(start, start + DIGEST_ENTRIES_MAX);
      start += DIGEST_ENTRIES_MAX;
      from.link.control(renderSignal({ type: 'board.digest', entries, last: start >= digest.length }));
    } while (start < digest.length);
  }

  /** What a peer holds: once complete, it is sent what it lacks. */
  compare(incarnation: string, entries: readonly BoardDigest[], last: boolean): void {
    const known = this.#digests.get(incarnation) ?? [];
    if (known.length + entries.length <= DIGEST_TOTAL_MAX) known.push(...entries);
    this.#digests.set(incarnation, known);
    if (!last) return;
    this.#digests.delete(incarnation);
    for (const items of parcels(this.#parts.board.newerThan(known))) {
      this.#parts.send(incarnation, { type: 'board.items', items });
    }
    this.#parts.send(incarnation, { type: 'board.synced' });
  }

  forget(incarnation: string): void {
    this.#digests.delete(incarnation);
  }

  #flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const items of parcels(fresh)) this.#parts.broadcast({ type: 'board.items', items });
  }
}

/** Cuts a list so that each part is one moderate signal. */
function* parcels(items: readonly Publication[]): Generator<readonly Publication[]> {
  let parcel: Publication[] = [];
  let size = 0;
  for (const item of items) {
    const length = JSON.stringify(item.value).length + item.key.length + item.topic.length + item.address.length;
    if (parcel.length > 0 && size + length > ITEMS_TEXT_MAX) {
      yield parcel;
      parcel = [];
      size = 0;
    }
    parcel.push(item);
    size += length;
  }
  if (parcel.length > 0) yield parcel;
}
