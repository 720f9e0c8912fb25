import type { Cell, Change } from '../../actor/cell.ts';
import { stateText } from '../../actor/state-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { CellRegistry } from '../engine/cell-registry.ts';
import type { EngineHost } from '../engine/engine.ts';
import { UNHANDLED } from '../engine/failures.ts';
import type { Shard } from '../engine/shard.ts';

/** Eviction begins this part of the cap below it, so that there is room before it is needed. */
const ROOM_SHARE = 1 / 16;
/** Cells looked at in one turn of the loop. */
const LOOKS_MAX = 512;
/** Volatile states written at once to make their cells free. */
const WRITES_MAX = 256;
const COMPLAINT_MS = 10_000;
/** While everything is in use, it is looked at again this often. */
const IN_USE_RETRY_MS = 50;

export interface ResidentsParts {
  readonly registry: CellRegistry;
  readonly queue: CommitQueue;
  readonly clock: Clock;
  readonly host: EngineHost;
  readonly residentsMax: number;
}

/**
 * Keeps the number of resident actors below its cap: the least recently used ones leave, in the background. Never one
 * with uncommitted output, waiting mail or a pin; one whose newest state is volatile is written first and leaves when
 * that is durable. Actors of resident kinds stay and do not count.
 */
export class Residents {
  /** Actors that left for room, so far. */
  evicted = 0;
  private readonly parts: ResidentsParts;
  private readonly goal: number;
  private armed = false;
  private writing = false;
  private complainedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ResidentsParts) {
    this.parts = parts;
    this.goal = parts.residentsMax - Math.ceil(parts.residentsMax * ROOM_SHARE);
  }

  /** True at the cap: an actor that is not in memory takes nothing new now. */
  get full(): boolean {
    return this.parts.registry.order.size >= this.parts.residentsMax;
  }

  /** A cell was opened. */
  opened(): void {
    if (this.parts.registry.order.size > this.goal) this.arm();
  }

  /** Somebody was answered `busy` because every actor in memory is in use. */
  pressed(): void {
    const { clock, host, residentsMax } = this.parts;
    const now = clock.monotonic();
    if (now - this.complainedAt >= COMPLAINT_MS) {
      this.complainedAt = now;
      const message = 'as many actors are in use as may be resident: others are answered busy';
      host.log({ level: 'warn', message, residentsMax });
    }
    this.arm();
  }

  private arm(delayMs = 0): void {
    if (this.armed || this.writing) return;
    this.armed = true;
    this.parts.clock.after(delayMs, () => {
      this.armed = false;
      this.makeRoom();
    });
  }

  private makeRoom(): void {
    const { order } = this.parts.registry;
    const dirty: Cell[] = [];
    const before = this.evicted;
    let cell = order.oldest;
    for (let looks = 0; cell !== null && looks < LOOKS_MAX && dirty.length < WRITES_MAX; looks++) {
      if (order.size - dirty.length <= this.goal) break;
      const next: Cell | null = cell.newer;
      if (!isFree(cell)) order.touch(cell);
      else if (cell.dirty) dirty.push(cell);
      else this.evict(cell);
      cell = next;
    }
    if (dirty.length > 0) this.write(dirty);
    else if (order.size > this.goal) this.arm(this.evicted > before ? 0 : IN_USE_RETRY_MS);
  }

  private evict(cell: Cell): void {
    this.evicted++;
    this.parts.registry.remove(cell);
  }

  /** Writes volatile states, one entry per shard; their cells leave when the last entry was judged. */
  private write(cells: readonly Cell[]): void {
    const { queue } = this.parts;
    const byHome = new Map<Shard, Cell[]>();
    for (const cell of cells) {
      const shard = cell.shard as Shard;
      const own = byHome.get(shard);
      if (own === undefined) byHome.set(shard, [cell]);
      else own.push(cell);
    }
    this.writing = true;
    let open = byHome.size;
    const judged = (): void => {
      if (--open === 0) this.written(cells);
    };
    for (const [shard, own] of byHome) {
      const outcome = { changes: own.map(asItStands), rows: [], timers: [], publishes: [], outgoing: false };
      const entry = new Entry(queue.nextOrder(), shard, outcome, judged, UNHANDLED);
      for (const cell of own) cell.pending = entry;
      queue.push(entry);
    }
  }

  private written(cells: readonly Cell[]): void {
    this.writing = false;
    for (const cell of cells) if (cell.ordered && isFree(cell) && !cell.dirty) this.evict(cell);
    this.opened();
  }
}

/** True when nothing needs the cell to stay in memory. */
function isFree(cell: Cell): boolean {
  return (
    cell.phase === 'ready' &&
    cell.pending === null &&
    cell.rows.unsettled === 0 &&
    cell.pins === 0 &&
    cell.rows.unsettled === 0 &&
    cell.awaiting === 0 &&
    cell.parked === null &&
    !cell.queued &&
    !cell.stopping &&
    cell.mailbox.size === 0 &&
    cell.onLoaded.length === 0 &&
    cell.shard.serving === 'live'
  );
}

/** Volatile state as a change that is no step of its own. */
export function asItStands(cell: Cell): Change {
  const { snapshot, version, lastAt: at } = cell;
  if (snapshot === null) throw new Error(`${cell.address} has no state to write`);
  const state = stateText(snapshot.value);
  return { cell, snapshot, version, at, event: '', from: state, to: state, stopped: false };
}
