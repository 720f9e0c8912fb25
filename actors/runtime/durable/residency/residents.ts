import type { Cell, Change } from '../../actor/cascade/cell.ts';
import { stateText } from '../../actor/state-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { EngineHost } from '../engine.ts';
import { UNHANDLED } from '../failures.ts';
import type { Shard } from '../shard.ts';
import type { CellRegistry } from './cell-registry.ts';

/** Eviction begins at the cap minus this share of it, so that there is room before it is needed. */
const ROOM_SHARE = 1 / 16;
/** Cells examined in one turn of the event loop. */
const EXAMINED_MAX = 512;
/** Volatile states written at once so that their cells can be evicted. */
const WRITES_MAX = 256;
const WARNING_INTERVAL_MS = 10_000;
/** While every cell is in use, eviction is retried this often. */
const IN_USE_RETRY_MS = 50;

interface ResidentsParts {
  readonly registry: CellRegistry;
  readonly queue: CommitQueue;
  readonly clock: Clock;
  readonly host: EngineHost;
  readonly residentsMax: number;
}

/**
 * Keeps the number of resident actors below its cap by evicting the least recently used ones in the background. An
 * actor with uncommitted output, waiting mail or a pin is never evicted; one whose newest state is volatile is written
 * first and evicted when the write is durable. Actors of resident kinds stay and do not count.
 */
export class Residents {
  /** Actors evicted so far. */
  evicted = 0;
  private readonly parts: ResidentsParts;
  private readonly goal: number;
  private armed = false;
  private writing = false;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ResidentsParts) {
    this.parts = parts;
    this.goal = parts.residentsMax - Math.ceil(parts.residentsMax * ROOM_SHARE);
  }

  /** True at the cap: actors that are not in memory accept no new input now. */
  get full(): boolean {
    return this.parts.registry.order.size >= this.parts.residentsMax;
  }

  /** Called when a cell was opened. */
  opened(): void {
    if (this.parts.registry.order.size > this.goal) this.arm();
  }

  /** Called when a caller was answered `busy` because every actor in memory is in use. */
  pressed(): void {
    const { clock, host, residentsMax } = this.parts;
    const now = clock.monotonic();
    if (now - this.warnedAt >= WARNING_INTERVAL_MS) {
      this.warnedAt = now;
      const message = 'all resident actors are in use: other actors are answered busy';
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
    for (let examined = 0; cell !== null && examined < EXAMINED_MAX && dirty.length < WRITES_MAX; examined++) {
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

  /** Writes volatile states, one entry per shard; their cells are evicted when the last entry is judged. */
  private write(cells: readonly Cell[]): void {
    const { queue } = this.parts;
    const byShard = new Map<Shard, Cell[]>();
    for (const cell of cells) {
      const shard = cell.shard as Shard;
      const own = byShard.get(shard);
      if (own === undefined) byShard.set(shard, [cell]);
      else own.push(cell);
    }
    this.writing = true;
    let open = byShard.size;
    const judged = (): void => {
      if (--open === 0) this.written(cells);
    };
    for (const [shard, own] of byShard) {
      const outcome = {
        changes: own.map(volatileChange),
        rows: [],
        timers: [],
        publishes: [],
        trims: [],
        outgoing: false,
      };
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

/** True if the cell may be evicted. */
function isFree(cell: Cell): boolean {
  return (
    cell.phase === 'ready' &&
    cell.pending === null &&
    cell.rows.unsettled === 0 &&
    cell.pins === 0 &&
    cell.awaiting === 0 &&
    cell.parked === null &&
    !cell.queued &&
    !cell.stopping &&
    cell.mailbox.size === 0 &&
    cell.onLoaded.length === 0 &&
    cell.shard.serving === 'live'
  );
}

/** A change that writes the volatile state without a step. */
export function volatileChange(cell: Cell): Change {
  const { snapshot, version, lastAt: at } = cell;
  if (snapshot === null) throw new Error(`${cell.address} has no state to write`);
  const state = stateText(snapshot.value);
  return { cell, snapshot, version, at, event: '', from: state, to: state, stopped: false, recorded: null };
}
