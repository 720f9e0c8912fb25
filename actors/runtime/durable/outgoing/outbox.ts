import { type Answer, AskError } from '../../actor/answer.ts';
import { FAILURES_MAX } from '../../actor/dead-letter.ts';
import type { ActorEvent } from '../../actor/event.ts';
import { removeRow } from '../../actor/remove-row.ts';
import { RowCache, type RowWrite } from '../../actor/row-cache.ts';
import { systemCollections } from '../../actor/system-collections.ts';
import { encodeSystemMessage } from '../../actor/system-message.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RowRecord } from '../../ports/store.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Shard } from '../engine/shard.ts';
import { deadLetterEntry } from '../quarantine/undelivered-message.ts';
import { backOffMs } from './back-off.ts';
import type { ClusterPort } from './cluster-port.ts';

/** Messages of one shard that were not acknowledged; beyond it, steps that send more are refused for now. */
export const OUTBOX_MAX = 4_096;
/** Messages of this node on their way at once. */
const FLYING_MAX = 1_024;
const SEND_WITHIN_MS = 10_000;
/**
 * How long a message waits for an owner that knows the kind of its receiver: as long as two builds may live side by side
 * while one replaces the other. What waits holds up its pair of actors alone.
 */
export const KIND_WAIT_MS = 3_600_000;
/** Acknowledged rows are removed together: until then a message may be sent again, which is harmless. */
const REMOVE_AFTER_MS = 20;
const REMOVALS_PER_ENTRY_MAX = 256;
const WRITTEN: Answer = { ok: true, body: null };

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly event: ActorEvent;
  readonly number: string;
  /** How often its receiver threw, and how often it did not arrive at all. */
  thrown: number;
  tries: number;
}

/** What one actor has to say to one other: in order, one at a time. */
interface Pair {
  readonly book: ShardOutbox;
  readonly letters: Letter[];
  state: 'idle' | 'ready' | 'flying' | 'resting';
  /** Monotonic ms since when the receiver's kind is unknown where its shard is served; null while it is not. */
  unknownSince: number | null;
}

/** The outbox of one shard. */
interface ShardOutbox {
  readonly shard: Shard;
  readonly pairs: PooledMap<Pair>;
  /** Letters in `pairs`. */
  size: number;
  removals: Letter[];
  /** The rows of an earlier owner are being read: until they are here, nothing may leave before them. */
  reading: boolean;
  resting: boolean;
}

/** What an outbox works with. */
export interface OutboxParts {
  readonly clusterPort: ClusterPort;
  readonly queue: CommitQueue;
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly log: EngineHost['log'];
}

/**
 * Messages to actors of other shards. Their rows are durable before they get here; they leave in order, one in flight
 * per pair of actors, again and again until the receiver has committed them, or set them aside. One that a receiver
 * fails and cannot set aside either is set aside beside its sender. Whoever adopts the shard goes on.
 */
export class Outbox {
  /** Messages that were set aside beside their sender here. */
  deadLetters = 0;

  private readonly parts: OutboxParts;
  private readonly books = new Map<Shard, ShardOutbox>();
  private ready: Pair[] = [];
  private flying = 0;
  private removing = false;

  constructor(parts: OutboxParts) {
    this.parts = parts;
  }

  open(shard: Shard): void {
    const book: ShardOutbox = { shard, pairs: new PooledMap(), size: 0, removals: [], reading: true, resting: false };
    this.books.set(shard, book);
  }

  isFull(shard: Shard): boolean {
    return (this.books.get(shard)?.size ?? 0) >= OUTBOX_MAX;
  }

  /** What an earlier owner left, oldest first; all of it is older than what was written here since. */
  fill(shard: Shard, records: readonly RowRecord[]): void {
    const book = this.books.get(shard);
    if (book === undefined || !book.reading) return;
    const younger = book.pairs.values().flatMap((pair) => pair.letters.splice(0));
    book.size = 0;
    const known = new Set<string>();
    for (const { address, id, body } of records) {
      const { to, event } = JSON.parse(body) as { to: string; event: ActorEvent };
      known.add(`${address} ${id}`);
      this.add(book, { from: address, to, event, number: id, thrown: 0, tries: 0 });
    }
    for (const letter of younger) if (!known.has(`${letter.from} ${letter.number}`)) this.add(book, letter);
    book.reading = false;
    for (const pair of book.pairs.values()) this.line(pair);
    this.pump();
  }

  /** The entry that holds this message is durable. */
  durable(shard: Shard, { beside, id, body, removed }: RowWrite): void {
    const book = this.books.get(shard);
    if (book === undefined || removed) return;
    const { to, event } = body as unknown as { to: string; event: ActorEvent };
    const pair = this.add(book, { from: beside.address, to, event, number: id, thrown: 0, tries: 0 });
    this.line(pair);
    this.pump();
  }

  /** Nothing of this shard leaves any more; what was acknowledged is written off at once. */
  rest(shard: Shard): void {
    const book = this.books.get(shard);
    if (book === undefined) return;
    book.resting = true;
    this.remove(book);
  }

  forget(shard: Shard): void {
    this.books.delete(shard);
  }

  /** What waits for its receiver, for an operator. */
  waitingOf(shard: Shard, from: string): readonly { to: string; number: string; event: string; tries: number }[] {
    const letters = (this.books.get(shard)?.pairs.values() ?? []).flatMap((pair) => pair.letters);
    return letters
      .filter((letter) => letter.from === from)
      .map(({ to, number, event, tries, thrown }) => ({ to, number, event: event.type, tries: tries + thrown }));
  }

  private add(book: ShardOutbox, letter: Letter): Pair {
    const key = `${letter.from} ${letter.to}`;
    let pair = book.pairs.get(key);
    if (pair === undefined) {
      pair = { book, letters: [], state: 'idle', unknownSince: null };
      book.pairs.set(key, pair);
    }
    pair.letters.push(letter);
    book.size++;
    return pair;
  }

  private line(pair: Pair): void {
    if (pair.state !== 'idle' || pair.letters.length === 0 || pair.book.reading) return;
    pair.state = 'ready';
    this.ready.push(pair);
  }

  private pump(): void {
    while (this.flying < FLYING_MAX && this.ready.length > 0) {
      const pair = this.ready.shift() as Pair;
      if (this.isLive(pair.book)) this.send(pair);
    }
  }

  private isLive(book: ShardOutbox): boolean {
    return this.books.get(book.shard) === book && !book.resting;
  }

  private send(pair: Pair): void {
    const letter = pair.letters[0] as Letter;
    const { from, to, number, event } = letter;
    pair.state = 'flying';
    this.flying++;
    const parcel = { type: 'message', from, number, last: letter.thrown >= FAILURES_MAX - 1 } as const;
    this.parts.clusterPort.send(to, encodeSystemMessage(parcel, event), SEND_WITHIN_MS).then(
      () => this.landed(pair, () => this.acknowledged(pair, letter)),
      (error: unknown) => this.landed(pair, () => this.failed(pair, letter, error)),
    );
  }

  private landed(pair: Pair, react: () => void): void {
    this.flying--;
    if (this.books.get(pair.book.shard) === pair.book) react();
    this.pump();
  }

  private acknowledged(pair: Pair, letter: Letter): void {
    const { book } = pair;
    pair.unknownSince = null;
    book.removals.push(letter);
    if (book.resting) this.remove(book);
    else this.armRemoval();
    this.over(pair, letter);
  }

  /** The next of its pair may leave. */
  private over(pair: Pair, { from, to }: Letter): void {
    const { book } = pair;
    pair.letters.shift();
    book.size--;
    pair.state = 'idle';
    if (pair.letters.length === 0) book.pairs.delete(`${from} ${to}`);
    else this.line(pair);
  }

  private failed(pair: Pair, letter: Letter, error: unknown): void {
    const failure = error instanceof AskError ? error.failure : null;
    const threw = failure?.code === 'failed' && !failure.kindUnknown;
    if (threw) letter.thrown++;
    else letter.tries++;
    if (failure?.code === 'failed' && !pair.book.resting && this.isDead(pair, letter, threw)) {
      this.setAside(pair, letter, failure.detail);
    } else this.pause(pair, letter);
  }

  /** The receiver was told that this was the last try, and could not set it aside itself; or nobody knows its kind. */
  private isDead(pair: Pair, { thrown }: Letter, threw: boolean): boolean {
    if (threw) return thrown >= FAILURES_MAX;
    const now = this.parts.clock.monotonic();
    pair.unknownSince ??= now;
    return now - pair.unknownSince >= KIND_WAIT_MS;
  }

  private setAside(pair: Pair, letter: Letter, failure: string): void {
    const { queue, now, log } = this.parts;
    const { shard } = pair.book;
    const dead = { ...letter, times: letter.thrown + letter.tries, failure };
    const entry = deadLetterEntry(shard, dead, { order: queue.nextOrder(), at: now() }, (answer) => {
      if (this.books.get(shard) !== pair.book) return;
      if (!answer.ok) return this.pause(pair, letter);
      this.deadLetters++;
      const message = 'a message was set aside beside its sender: see it with inspect, then retry or skip it';
      log({ level: 'error', message, address: letter.from, to: letter.to, event: letter.event.type, detail: failure });
      this.over(pair, letter);
      this.pump();
    });
    queue.push(entry);
  }

  private pause(pair: Pair, letter: Letter): void {
    pair.state = 'resting';
    const { clock, clusterPort } = this.parts;
    clock.after(backOffMs(letter.thrown + letter.tries, clusterPort.random), () => {
      pair.state = 'idle';
      this.line(pair);
      this.pump();
    });
  }

  private armRemoval(): void {
    if (this.removing) return;
    this.removing = true;
    this.parts.clock.after(REMOVE_AFTER_MS, () => {
      this.removing = false;
      for (const book of this.books.values()) this.remove(book);
    });
  }

  private remove(book: ShardOutbox): void {
    if (book.shard.serving === 'gone') return;
    const letters = book.removals;
    book.removals = [];
    for (let i = 0; i < letters.length; i += REMOVALS_PER_ENTRY_MAX) {
      this.write(book, letters.slice(i, i + REMOVALS_PER_ENTRY_MAX));
    }
  }

  private write(book: ShardOutbox, letters: readonly Letter[]): void {
    const { queue } = this.parts;
    const rows = letters.map(({ from, number }) => removeRow(new RowCache(from), systemCollections.outbox, number));
    const outcome = { changes: [], rows, timers: [], publishes: [], outgoing: false };
    const entry = new Entry(
      queue.nextOrder(),
      book.shard,
      outcome,
      (answer) => {
        if (answer.ok || answer.failure.code !== 'refused' || this.books.get(book.shard) !== book) return;
        book.removals.push(...letters);
        this.armRemoval();
      },
      WRITTEN,
    );
    for (const write of rows) write.beside.apply(write, entry);
    queue.push(entry);
  }
}
