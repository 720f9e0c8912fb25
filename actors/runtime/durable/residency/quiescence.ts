import type { Change } from '../../actor/cell.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { CellRegistry } from '../engine/cell-registry.ts';
import { UNHANDLED } from '../engine/failures.ts';
import type { Shard } from '../engine/shard.ts';
import { volatileChange } from './residents.ts';

const CHANGES_PER_ENTRY_MAX = 256;

/**
 * Releases a shard in order: refuses new input, steps and commits queued messages, writes volatile state, then drops
 * the shard. It does not wait for other shards.
 */
export class Quiescence {
  private readonly registry: CellRegistry;
  private readonly queue: CommitQueue;
  private readonly drop: (shard: Shard) => void;
  private readonly leaving = new Set<Shard>();

  constructor(registry: CellRegistry, queue: CommitQueue, drop: (shard: Shard) => void) {
    this.registry = registry;
    this.queue = queue;
    this.drop = drop;
  }

  start(shard: Shard): Promise<void> {
    if (shard.serving === 'live') shard.serving = 'quiescing';
    this.leaving.add(shard);
    const released = new Promise<void>((resolve) => shard.onReleased.push(resolve));
    this.check();
    return released;
  }

  /** Called after each message and each judged batch. */
  check(): void {
    for (const shard of this.leaving) {
      if (shard.serving === 'gone' || this.registry.shards.get(shard.id) !== shard) this.leaving.delete(shard);
      else if (shard.mails === 0 && shard.entries === 0) this.end(shard);
    }
  }

  get active(): boolean {
    return this.leaving.size > 0;
  }

  private end(shard: Shard): void {
    const dirty: Change[] = [];
    for (const cell of shard.cells) if (cell.dirty) dirty.push(volatileChange(cell));
    if (dirty.length === 0) {
      this.leaving.delete(shard);
      this.drop(shard);
      return;
    }
    for (let i = 0; i < dirty.length; i += CHANGES_PER_ENTRY_MAX)
      this.write(shard, dirty.slice(i, i + CHANGES_PER_ENTRY_MAX));
  }

  private write(shard: Shard, changes: readonly Change[]): void {
    const outcome = { changes, rows: [], timers: [], publishes: [], outgoing: false };
    const entry = new Entry(this.queue.nextOrder(), shard, outcome, null, UNHANDLED);
    for (const { cell } of changes) cell.pending = entry;
    this.queue.push(entry);
  }
}
