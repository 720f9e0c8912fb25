import type { Change } from '../actor/cell.ts';
import type { CommitQueue } from './commit-queue.ts';
import { Entry } from './entry.ts';
import { UNHANDLED } from './failures.ts';
import type { Floor } from './floor.ts';
import type { HeldShard } from './held-shard.ts';
import { asItStands } from './residents.ts';

const CHANGES_PER_ENTRY_MAX = 256;

/**
 * The planned end of a shard: it takes nothing new, what is queued is stepped and committed, volatile state is written,
 * and then it is forgotten. Waits for nobody else's shard.
 */
export class Sealing {
  private readonly floor: Floor;
  private readonly queue: CommitQueue;
  private readonly forget: (home: HeldShard) => void;
  private readonly leaving = new Set<HeldShard>();

  constructor(floor: Floor, queue: CommitQueue, forget: (home: HeldShard) => void) {
    this.floor = floor;
    this.queue = queue;
    this.forget = forget;
  }

  start(home: HeldShard): Promise<void> {
    if (home.serving === 'live') home.serving = 'sealing';
    this.leaving.add(home);
    const sealed = new Promise<void>((resolve) => home.onSealed.push(resolve));
    this.check();
    return sealed;
  }

  /** Called whenever a message ended or a batch was judged. */
  check(): void {
    for (const home of this.leaving) {
      if (home.serving === 'gone' || this.floor.shards.get(home.shard) !== home) this.leaving.delete(home);
      else if (home.mails === 0 && home.entries === 0) this.end(home);
    }
  }

  get active(): boolean {
    return this.leaving.size > 0;
  }

  private end(home: HeldShard): void {
    const dirty: Change[] = [];
    for (const cell of home.cells) if (cell.dirty) dirty.push(asItStands(cell));
    if (dirty.length === 0) {
      this.leaving.delete(home);
      this.forget(home);
      return;
    }
    for (let i = 0; i < dirty.length; i += CHANGES_PER_ENTRY_MAX)
      this.write(home, dirty.slice(i, i + CHANGES_PER_ENTRY_MAX));
  }

  private write(home: HeldShard, changes: readonly Change[]): void {
    const outcome = { changes, rows: [], timers: [], publishes: [], errands: false };
    const entry = new Entry(this.queue.nextOrder(), home, outcome, null, UNHANDLED);
    for (const { cell } of changes) cell.pending = entry;
    this.queue.push(entry);
  }
}
