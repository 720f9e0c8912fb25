import type { Change } from '../../actor/cascade/cell.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import { UNHANDLED } from '../failures.ts';
import type { Shard } from '../shard.ts';
import type { CellRegistry } from './cell-registry.ts';
import { volatileChange } from './residents.ts';

const CHANGES_PER_ENTRY_MAX = 256;

/**
 * Releases a shard in order: refuses new input, steps and commits queued messages, writes volatile state, then drops
 * the shard. It does not wait for other shards.
 */
export class Quiescence {
  private readonly registry: CellRegistry;
  private readonly queue: CommitQueue;
  /** The shards being released, and what drops each from memory. */
  private readonly leaving = new Map<Shard, () => void>();

  constructor(registry: CellRegistry, queue: CommitQueue) {
    this.registry = registry;
    this.queue = queue;
  }

  /** Calls `drop` once nothing of the shard is left to step or to write; resolves when it was dropped. */
  start(shard: Shard, drop: () => void): Promise<void> {
    if (shard.serving === 'live') shard.serving = 'quiescing';
    this.leaving.set(shard, drop);
    const released = new Promise<void>((resolve) => shard.onReleased.push(resolve));
    this.check();
    return released;
  }

  /** Called after each message and each judged batch. */
  check(): void {
    if (this.leaving.size === 0) return;
    for (const [shard, drop] of this.leaving) {
      if (shard.serving === 'gone' || this.registry.shards.get(shard.id) !== shard) this.leaving.delete(shard);
      else if (shard.mails === 0 && shard.entries === 0) this.end(shard, drop);
    }
  }

  private end(shard: Shard, drop: () => void): void {
    const dirty: Change[] = [];
    for (const cell of shard.cells) if (cell.dirty) dirty.push(volatileChange(cell));
    if (dirty.length === 0) {
      this.leaving.delete(shard);
      drop();
      return;
    }
    for (let i = 0; i < dirty.length; i += CHANGES_PER_ENTRY_MAX)
      this.write(shard, dirty.slice(i, i + CHANGES_PER_ENTRY_MAX));
  }

  private write(shard: Shard, changes: readonly Change[]): void {
    const outcome = { changes, rows: [], timers: [], publishes: [], trims: [], outgoing: false };
    const entry = new Entry(this.queue.nextOrder(), shard, outcome, null, UNHANDLED);
    for (const { cell } of changes) cell.pending = entry;
    this.queue.push(entry);
  }
}
