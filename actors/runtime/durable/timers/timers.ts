import { shardOf } from '../../actor/address.ts';
import { FAILURES_MAX } from '../../actor/dead-letter.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { Firing } from '../../actor/mail.ts';
import type { Placed, TimerWrite } from '../../actor/outcome.ts';
import type { PendingCommit } from '../../actor/pending-commit.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import { type Due, TimerHeap } from '../../collections/timer-heap.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Store, TimerRecord } from '../../ports/store.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Shard } from '../engine/shard.ts';

/** One timer in memory: armed, or written and not durable yet. */
interface Slot extends Due, Placed {
  readonly book: ShardTimers;
  readonly address: string;
  readonly name: string;
  dueAt: number;
  /** Null: there is no such timer, and that is not durable yet. */
  event: ActorEvent | null;
  /** The newest entry that writes it; null once that is durable. */
  pending: PendingCommit | null;
  /** Raised whenever it is set, removed or fired: an older firing on its way is void. */
  round: number;
  failures: number;
}

/** The timers of one shard. Everything due up to `horizon` is in it. */
interface ShardTimers {
  readonly shard: Shard;
  readonly slots: PooledMap<PooledMap<Slot>>;
  horizon: number;
  /** The shard is being released: writes are kept, but no timer fires any more. */
  resting: boolean;
  /** Timers written while a load is under way: memory knows better than what the load brings. Null: no load. */
  touched: Set<string> | null;
}

/** Delivers a due timer to its actor; false when its lane is full. */
type Fire = (shard: Shard, address: string, event: ActorEvent, firing: Firing) => boolean;

/** Hears of a stored timer that does not load. */
type Damaged = (shard: Shard, address: string, fault: string) => void;

const LOAD_MIN = 1_024;
const LOAD_MAX = 65_536;
const RETRY_MS = 1_000;
const LANE_FULL_RETRY_MS = 250;

/**
 * Durable timers: rows with absolute due times, loaded some way ahead, armed exactly through one heap and one wake-up.
 * A timer is armed when its row is durable, fires once, and its row goes in the entry of the step it causes; one that
 * was replaced or cancelled never fires.
 */
export class Timers {
  private readonly books = new Map<Shard, ShardTimers>();
  private readonly heap = new TimerHeap<Slot>();
  private readonly store: Pick<Store, 'timersDue' | 'timersOf'>;
  private readonly clock: Clock;
  private readonly now: () => number;
  private readonly aheadMs: number;
  private readonly shardCount: number;
  private readonly fire: Fire;
  private readonly damaged: Damaged;
  private readonly log: EngineHost['log'];
  private wake: { readonly at: number; readonly cancel: Cancel } | null = null;
  private refill: Cancel | null = null;

  constructor(options: {
    readonly store: Pick<Store, 'timersDue' | 'timersOf'>;
    readonly clock: Clock;
    readonly now: () => number;
    readonly aheadMs: number;
    readonly shardCount: number;
    readonly fire: Fire;
    readonly damaged: Damaged;
    readonly log: EngineHost['log'];
  }) {
    this.store = options.store;
    this.clock = options.clock;
    this.now = options.now;
    this.aheadMs = options.aheadMs;
    this.shardCount = options.shardCount;
    this.fire = options.fire;
    this.damaged = options.damaged;
    this.log = options.log;
  }

  /** From now on what is written for this shard is kept; what memory had of it is forgotten. */
  open(shard: Shard): void {
    this.drop(shard);
    this.books.set(shard, { shard, slots: new PooledMap(), horizon: 0, resting: false, touched: null });
  }

  /** Loads what is stored for these shards, which must be open. */
  fill(shards: readonly Shard[]): void {
    this.load(shards.flatMap((shard) => this.books.get(shard) ?? []));
    this.armRefill();
  }

  /** Nothing of this shard fires any more, while its last entries are written. */
  pause(shard: Shard): void {
    const book = this.books.get(shard);
    if (book === undefined) return;
    book.resting = true;
    for (const slots of book.slots.values()) for (const slot of slots.values()) this.heap.remove(slot);
  }

  drop(shard: Shard): void {
    this.pause(shard);
    this.books.delete(shard);
    if (this.books.size === 0) this.close();
  }

  close(): void {
    this.wake?.cancel();
    this.wake = null;
    this.refill?.();
    this.refill = null;
  }

  /** Takes over what an entry writes. What was armed under this name is void at once. */
  apply(shard: Shard, write: TimerWrite, pending: PendingCommit): void {
    const book = this.books.get(shard);
    if (book === undefined) return;
    const slot = slotOf(book, write.address, write.name);
    this.set(slot, write.dueAt, write.event, pending);
    write.slot = slot;
  }

  /** All timers of an actor that stops are void; the store removes their rows with the actor's. */
  stopped(shard: Shard, address: string, pending: PendingCommit): void {
    for (const slot of this.books.get(shard)?.slots.get(address)?.values() ?? []) {
      this.set(slot, 0, null, pending);
    }
  }

  /** The entry is durable: the timer may be armed, or forgotten. */
  settled(shard: Shard, address: string, name: string, pending: PendingCommit): void {
    const book = this.books.get(shard);
    const slot = book?.slots.get(address)?.get(name);
    if (book === undefined || slot === undefined || slot.pending !== pending) return;
    slot.pending = null;
    book.touched?.add(keyOf(address, name));
    if (slot.event !== null && slot.dueAt <= book.horizon) this.arm(slot, slot.dueAt);
    else drop(slot);
  }

  /** The same for all timers of an actor that stopped. */
  settledStop(shard: Shard, address: string, pending: PendingCommit): void {
    const names = (this.books.get(shard)?.slots.get(address)?.values() ?? []).map((slot) => slot.name);
    for (const name of names) this.settled(shard, address, name, pending);
  }

  /** What memory knows of an actor's timers; a null event is one that is going. */
  knownOf(shard: Shard, address: string): readonly { name: string; dueAt: number; event: ActorEvent | null }[] {
    return this.books.get(shard)?.slots.get(address)?.values() ?? [];
  }

  /** Looks at the stored timers of an actor again, whose rows may have been mended. */
  async recheck(shard: Shard, address: string): Promise<void> {
    const records = await this.store.timersOf(address);
    const book = this.books.get(shard);
    if (book === undefined) return;
    for (const record of records) {
      const known = book.slots.get(address)?.get(record.name) !== undefined;
      if (!known && (record.dueAt <= book.horizon || eventIn(record.event) === null)) this.take(book, record);
    }
  }

  private set(slot: Slot, dueAt: number, event: ActorEvent | null, pending: PendingCommit): void {
    this.heap.remove(slot);
    slot.round++;
    slot.failures = 0;
    slot.dueAt = dueAt;
    slot.event = event;
    slot.pending = pending;
    slot.book.touched?.add(keyOf(slot.address, slot.name));
  }

  private arm(slot: Slot, at: number): void {
    if (slot.book.resting) return;
    slot.armedAt = at;
    this.heap.add(slot);
    this.schedule();
  }

  private schedule(): void {
    const first = this.heap.first;
    if (first === undefined) return;
    if (this.wake !== null) {
      if (this.wake.at <= first.armedAt) return;
      this.wake.cancel();
    }
    const delay = Math.min(Math.max(0, Math.ceil(first.armedAt - this.now())), this.aheadMs);
    const cancel = this.clock.after(delay, () => {
      this.wake = null;
      this.ring();
    });
    this.wake = { at: first.armedAt, cancel };
  }

  private ring(): void {
    const now = this.now();
    for (let slot = this.heap.first; slot !== undefined && slot.armedAt <= now; slot = this.heap.first) {
      this.heap.remove(slot);
      const { event, book, address } = slot;
      if (event === null) continue;
      const firing = this.firingOf(slot);
      try {
        if (!this.fire(book.shard, address, event, firing)) this.rearm(slot, LANE_FULL_RETRY_MS);
      } catch (error) {
        // Such as a kind that this build does not have. The others ring all the same.
        firing.failed(error instanceof Error ? error.message : String(error));
      }
    }
    this.schedule();
  }

  private firingOf(slot: Slot): Firing {
    const { round } = slot;
    const current = () => slot.round === round && slot.event !== null && this.books.get(slot.book.shard) === slot.book;
    return {
      name: slot.name,
      last: slot.failures >= FAILURES_MAX - 1,
      current,
      postponed: () => {
        if (current()) this.rearm(slot, RETRY_MS);
      },
      failed: (detail) => {
        if (!current()) return;
        slot.failures++;
        const { address, name } = slot;
        const giveUp = slot.failures >= FAILURES_MAX;
        const message = giveUp
          ? 'a timer failed too often and rests until its shard is adopted again'
          : 'a timer failed';
        this.log({ level: giveUp ? 'error' : 'warn', message, address, timer: name, detail });
        if (!giveUp) this.rearm(slot, RETRY_MS * slot.failures);
      },
    };
  }

  private rearm(slot: Slot, delayMs: number): void {
    this.arm(slot, this.now() + delayMs);
  }

  /** Loads ahead again before the horizon is reached. */
  private armRefill(): void {
    if (this.refill !== null || this.books.size === 0) return;
    this.refill = this.clock.after(Math.ceil(this.aheadMs / 2), () => {
      this.refill = null;
      this.load([...this.books.values()].filter((book) => book.touched === null));
      this.armRefill();
    });
  }

  private load(books: readonly ShardTimers[]): void {
    if (books.length === 0) return;
    const until = this.now() + this.aheadMs;
    for (const book of books) {
      book.touched = new Set();
      // From now on, whatever becomes durable within the horizon arms itself.
      book.horizon = until;
    }
    this.read(books, until).then(
      (records) => this.loaded(books, records),
      (error: unknown) => this.loadFailed(books, error),
    );
  }

  /** Everything due; a page that is full is read again, larger. */
  private async read(books: readonly ShardTimers[], until: number): Promise<readonly TimerRecord[]> {
    const shards = books.map((book) => book.shard.id);
    for (let limit = LOAD_MIN; ; limit *= 4) {
      const records = await this.store.timersDue(shards, until, limit);
      if (records.length < limit || limit >= LOAD_MAX) return records;
    }
  }

  private loaded(books: readonly ShardTimers[], records: readonly TimerRecord[]): void {
    const live = new Map(books.filter((book) => this.isLive(book)).map((book) => [book.shard.id, book]));
    for (const record of records) {
      const book = live.get(shardOf(record.address, this.shardCount));
      if (book === undefined || book.touched?.has(keyOf(record.address, record.name))) continue;
      if (book.slots.get(record.address)?.get(record.name)) continue;
      this.take(book, record);
    }
    for (const book of live.values()) book.touched = null;
    if (records.length < LOAD_MAX) return;
    this.log({ level: 'warn', message: 'more timers are due than are loaded at once', timers: records.length });
    this.again([...live.values()]);
  }

  /** A stored timer, armed; one that does not load concerns its actor alone. */
  private take(book: ShardTimers, { address, name, dueAt, event: text }: TimerRecord): void {
    const event = eventIn(text);
    if (event === null) {
      this.damaged(book.shard, address, `its timer ${name} is no event`);
      return;
    }
    const slot = slotOf(book, address, name);
    slot.dueAt = dueAt;
    slot.event = event;
    this.arm(slot, dueAt);
  }

  private loadFailed(books: readonly ShardTimers[], error: unknown): void {
    this.log({ level: 'warn', message: 'timers could not be loaded', error: String(error) });
    for (const book of books) book.touched = null;
    this.again(books);
  }

  private again(books: readonly ShardTimers[]): void {
    this.clock.after(RETRY_MS, () => this.load(books.filter((book) => this.isLive(book) && book.touched === null)));
  }

  private isLive(book: ShardTimers): boolean {
    return this.books.get(book.shard) === book;
  }
}

function slotOf(book: ShardTimers, address: string, name: string): Slot {
  let slots = book.slots.get(address);
  if (slots === undefined) {
    slots = new PooledMap();
    book.slots.set(address, slots);
  }
  let slot = slots.get(name);
  if (slot === undefined) {
    const fresh = { dueAt: 0, event: null, pending: null, round: 0, failures: 0 };
    slot = { book, address, name, ...fresh, armedAt: 0, heapIndex: -1, batch: 0, place: 0 };
    slots.set(name, slot);
  }
  return slot;
}

/** Null for what is none. */
function eventIn(text: string): ActorEvent | null {
  try {
    const event = JSON.parse(text) as ActorEvent | null;
    return typeof event?.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

function drop(slot: Slot): void {
  const slots = slot.book.slots.get(slot.address);
  slots?.delete(slot.name);
  if (slots?.size === 0) slot.book.slots.delete(slot.address);
}

function keyOf(address: string, name: string): string {
  return `${address} ${name}`;
}
