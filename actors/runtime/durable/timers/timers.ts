import { shardOf } from '../../actor/address.ts';
import { FAILURES_MAX } from '../../actor/cascade/dead-letter.ts';
import type { Firing } from '../../actor/cascade/mailbox.ts';
import type { Placed, TimerWrite } from '../../actor/cascade/outcome.ts';
import type { PendingCommit } from '../../actor/cascade/pending-commit.ts';
import type { ActorEvent } from '../../actor/event.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import { type Due, TimerHeap } from '../../collections/timer-heap.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, TimerRecord } from '../../ports/store.ts';
import type { Shard } from '../shard.ts';

/** One timer in memory: armed, or written and not durable yet. */
interface Slot extends Due, Placed {
  readonly shardTimers: ShardTimers;
  readonly address: string;
  readonly name: string;
  dueAt: number;
  /** Null: the timer is removed, and the removal is not durable yet. */
  event: ActorEvent | null;
  /** The newest entry that writes it; null once that entry is durable. */
  pending: PendingCommit | null;
  /** Incremented whenever the timer is set, removed or fired, which voids an older firing in progress. */
  round: number;
  failures: number;
}

/** The timers of one shard, complete up to `horizon`. */
interface ShardTimers {
  readonly shard: Shard;
  readonly slots: PooledMap<PooledMap<Slot>>;
  horizon: number;
  /** The shard is being released: writes are kept, but no timer fires any more. */
  paused: boolean;
  /** Timers written during a load, whose loaded records are stale. Null: no load is running. */
  touched: Set<string> | null;
}

/** Receives the timers of actors. */
interface TimerReceiver {
  /** Delivers a due timer to its actor; false if its lane is full. */
  enqueue(shard: Shard, address: string, event: ActorEvent, firing: Firing): boolean;
  /** A stored timer of this actor does not load. */
  damaged(shard: Shard, address: string, fault: string): void;
}

const LOAD_MIN = 1_024;
const LOAD_MAX = 65_536;
const RETRY_MS = 1_000;
const LANE_FULL_RETRY_MS = 250;

/**
 * Durable timers: rows with absolute due times, loaded up to a horizon and armed through one heap and one wake-up. A
 * timer is armed when its row is durable and fires once; the entry of the step that it causes removes its row. A
 * replaced or cancelled timer never fires.
 */
export class Timers {
  private readonly byShard = new Map<Shard, ShardTimers>();
  private readonly heap = new TimerHeap<Slot>();
  private readonly store: Pick<Store, 'timersDue' | 'timersOf'>;
  private readonly clock: Clock;
  private readonly now: () => number;
  private readonly aheadMs: number;
  private readonly shardCount: number;
  private receiver!: TimerReceiver;
  private readonly log: Log;
  private wake: { readonly at: number; readonly cancel: Cancel } | null = null;
  private refill: Cancel | null = null;

  constructor(options: {
    readonly store: Pick<Store, 'timersDue' | 'timersOf'>;
    readonly clock: Clock;
    readonly now: () => number;
    readonly aheadMs: number;
    readonly shardCount: number;
    readonly log: Log;
  }) {
    this.store = options.store;
    this.clock = options.clock;
    this.now = options.now;
    this.aheadMs = options.aheadMs;
    this.shardCount = options.shardCount;
    this.log = options.log;
  }

  /** Names the receiver of due timers. Called once, before the first `open`: the receiver's steps set timers. */
  start(receiver: TimerReceiver): void {
    this.receiver = receiver;
  }

  /** Starts to record the timers of this shard, with empty state. */
  open(shard: Shard): void {
    this.drop(shard);
    this.byShard.set(shard, { shard, slots: new PooledMap(), horizon: 0, paused: false, touched: null });
  }

  /** Loads the stored timers of these shards, which must be open. */
  fill(shards: readonly Shard[]): void {
    this.load(shards.flatMap((shard) => this.byShard.get(shard) ?? []));
    this.armRefill();
  }

  /** Stops firing the timers of this shard while its last entries are written. */
  pause(shard: Shard): void {
    const shardTimers = this.byShard.get(shard);
    if (shardTimers === undefined) return;
    shardTimers.paused = true;
    for (const slots of shardTimers.slots.values()) for (const slot of slots.values()) this.heap.remove(slot);
  }

  drop(shard: Shard): void {
    this.pause(shard);
    this.byShard.delete(shard);
    if (this.byShard.size === 0) this.close();
  }

  close(): void {
    this.wake?.cancel();
    this.wake = null;
    this.refill?.();
    this.refill = null;
  }

  /** Records the timer that an entry writes. Voids the timer armed under this name at once. */
  apply(shard: Shard, write: TimerWrite, pending: PendingCommit): void {
    const shardTimers = this.byShard.get(shard);
    if (shardTimers === undefined) return;
    const slot = slotOf(shardTimers, write.address, write.name);
    this.set(slot, write.dueAt, write.event, pending);
    write.slot = slot;
  }

  /** Voids all timers of an actor that stops; the store removes their rows with the actor's. */
  stopped(shard: Shard, address: string, pending: PendingCommit): void {
    for (const slot of this.byShard.get(shard)?.slots.get(address)?.values() ?? []) {
      this.set(slot, 0, null, pending);
    }
  }

  /** Called when the entry is durable: arms or removes the timer. */
  settled(shard: Shard, address: string, name: string, pending: PendingCommit): void {
    const shardTimers = this.byShard.get(shard);
    const slot = shardTimers?.slots.get(address)?.get(name);
    if (shardTimers === undefined || slot === undefined || slot.pending !== pending) return;
    slot.pending = null;
    shardTimers.touched?.add(keyOf(address, name));
    if (slot.event !== null && slot.dueAt <= shardTimers.horizon) this.arm(slot, slot.dueAt);
    else removeSlot(slot);
  }

  /** The same for all timers of an actor that stopped. */
  settledStop(shard: Shard, address: string, pending: PendingCommit): void {
    const names = (this.byShard.get(shard)?.slots.get(address)?.values() ?? []).map((slot) => slot.name);
    for (const name of names) this.settled(shard, address, name, pending);
  }

  /** The timers of an actor in memory; a null event is a timer being removed. */
  knownOf(shard: Shard, address: string): readonly { name: string; dueAt: number; event: ActorEvent | null }[] {
    return this.byShard.get(shard)?.slots.get(address)?.values() ?? [];
  }

  /** Reads the stored timers of an actor again, whose rows may have been repaired. */
  async recheck(shard: Shard, address: string): Promise<void> {
    const records = await this.store.timersOf(address);
    const shardTimers = this.byShard.get(shard);
    if (shardTimers === undefined) return;
    for (const record of records) {
      const known = shardTimers.slots.get(address)?.get(record.name) !== undefined;
      if (!known && (record.dueAt <= shardTimers.horizon || eventIn(record.event) === null))
        this.take(shardTimers, record);
    }
  }

  private set(slot: Slot, dueAt: number, event: ActorEvent | null, pending: PendingCommit): void {
    this.heap.remove(slot);
    slot.round++;
    slot.failures = 0;
    slot.dueAt = dueAt;
    slot.event = event;
    slot.pending = pending;
    slot.shardTimers.touched?.add(keyOf(slot.address, slot.name));
  }

  private arm(slot: Slot, at: number): void {
    if (slot.shardTimers.paused) return;
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
      this.fireDue();
    });
    this.wake = { at: first.armedAt, cancel };
  }

  private fireDue(): void {
    const now = this.now();
    for (let slot = this.heap.first; slot !== undefined && slot.armedAt <= now; slot = this.heap.first) {
      this.heap.remove(slot);
      const { event, shardTimers, address } = slot;
      if (event === null) continue;
      const firing = this.firingOf(slot);
      try {
        if (!this.receiver.enqueue(shardTimers.shard, address, event, firing)) this.rearm(slot, LANE_FULL_RETRY_MS);
      } catch (error) {
        // For example a kind that this build does not have. The other timers still fire.
        firing.failed(error instanceof Error ? error.message : String(error));
      }
    }
    this.schedule();
  }

  private firingOf(slot: Slot): Firing {
    const { round } = slot;
    const current = () =>
      slot.round === round && slot.event !== null && this.byShard.get(slot.shardTimers.shard) === slot.shardTimers;
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
          ? 'a timer failed too often and is disabled until its shard is adopted again'
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
    if (this.refill !== null || this.byShard.size === 0) return;
    this.refill = this.clock.after(Math.ceil(this.aheadMs / 2), () => {
      this.refill = null;
      this.load([...this.byShard.values()].filter((shardTimers) => shardTimers.touched === null));
      this.armRefill();
    });
  }

  private load(batch: readonly ShardTimers[]): void {
    if (batch.length === 0) return;
    const until = this.now() + this.aheadMs;
    for (const shardTimers of batch) {
      shardTimers.touched = new Set();
      // From now on, a timer within the horizon is armed when it becomes durable.
      shardTimers.horizon = until;
    }
    this.read(batch, until).then(
      (records) => this.loaded(batch, records),
      (error: unknown) => this.loadFailed(batch, error),
    );
  }

  /** Reads all due timers; a full page is read again with a larger limit. */
  private async read(batch: readonly ShardTimers[], until: number): Promise<readonly TimerRecord[]> {
    const shards = batch.map((shardTimers) => shardTimers.shard.id);
    for (let limit = LOAD_MIN; ; limit *= 4) {
      const records = await this.store.timersDue(shards, until, limit);
      if (records.length < limit || limit >= LOAD_MAX) return records;
    }
  }

  private loaded(batch: readonly ShardTimers[], records: readonly TimerRecord[]): void {
    const live = new Map(
      batch.filter((shardTimers) => this.isLive(shardTimers)).map((shardTimers) => [shardTimers.shard.id, shardTimers]),
    );
    for (const record of records) {
      const shardTimers = live.get(shardOf(record.address, this.shardCount));
      if (shardTimers === undefined || shardTimers.touched?.has(keyOf(record.address, record.name))) continue;
      if (shardTimers.slots.get(record.address)?.get(record.name)) continue;
      this.take(shardTimers, record);
    }
    for (const shardTimers of live.values()) shardTimers.touched = null;
    if (records.length < LOAD_MAX) return;
    this.log({ level: 'warn', message: 'more timers are due than one load reads', timers: records.length });
    this.again([...live.values()]);
  }

  /** Arms a stored timer; one that does not load quarantines its actor only. */
  private take(shardTimers: ShardTimers, { address, name, dueAt, event: text }: TimerRecord): void {
    const event = eventIn(text);
    if (event === null) {
      this.receiver.damaged(shardTimers.shard, address, `its timer ${name} is no event`);
      return;
    }
    const slot = slotOf(shardTimers, address, name);
    slot.dueAt = dueAt;
    slot.event = event;
    this.arm(slot, dueAt);
  }

  private loadFailed(batch: readonly ShardTimers[], error: unknown): void {
    this.log({ level: 'warn', message: 'timers could not be loaded', error: String(error) });
    for (const shardTimers of batch) shardTimers.touched = null;
    this.again(batch);
  }

  private again(batch: readonly ShardTimers[]): void {
    this.clock.after(RETRY_MS, () =>
      this.load(batch.filter((shardTimers) => this.isLive(shardTimers) && shardTimers.touched === null)),
    );
  }

  private isLive(shardTimers: ShardTimers): boolean {
    return this.byShard.get(shardTimers.shard) === shardTimers;
  }
}

function slotOf(shardTimers: ShardTimers, address: string, name: string): Slot {
  let slots = shardTimers.slots.get(address);
  if (slots === undefined) {
    slots = new PooledMap();
    shardTimers.slots.set(address, slots);
  }
  let slot = slots.get(name);
  if (slot === undefined) {
    const fresh = { dueAt: 0, event: null, pending: null, round: 0, failures: 0 };
    slot = { shardTimers, address, name, ...fresh, armedAt: 0, heapIndex: -1, batch: 0, place: 0 };
    slots.set(name, slot);
  }
  return slot;
}

/** Null if the text is no event. */
function eventIn(text: string): ActorEvent | null {
  try {
    const event = JSON.parse(text) as ActorEvent | null;
    return typeof event?.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

function removeSlot(slot: Slot): void {
  const slots = slot.shardTimers.slots.get(slot.address);
  slots?.delete(slot.name);
  if (slots?.size === 0) slot.shardTimers.slots.delete(slot.address);
}

function keyOf(address: string, name: string): string {
  return `${address} ${name}`;
}
