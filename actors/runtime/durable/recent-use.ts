import type { Cell } from '../actor/cell.ts';
import { deriveRow } from '../actor/derive-row.ts';
import { HeldRows } from '../actor/held-rows.ts';
import type { RegisteredCollection } from '../actor/registered-kind.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { CommitQueue } from './commit-queue.ts';
import { Entry } from './entry.ts';
import { UNHANDLED } from './failures.ts';
import type { Floor } from './floor.ts';
import type { HeldShard } from './held-shard.ts';

/** The runtime's own collection: per shard the addresses used last, newest first. */
export const RECENT = '$recent';
const RECENT_MS = 10_000;
const PER_SHARD_MAX = 64;
/** Cells looked at in one round, newest first. */
const LOOKS_MAX = 16_384;

const collection: RegisteredCollection = {
  name: RECENT,
  sort: (body) => (body as { readonly shard: number }).shard,
  index: [],
  open: null,
  retentionMs: null,
  tenancy: null,
  bodyBytes: 1_024,
};

export interface RecentUseParts {
  readonly floor: Floor;
  readonly queue: CommitQueue;
  readonly clock: Clock;
}

/**
 * Writes down, every few seconds and only where it changed, which actors of a shard were used last, so that whoever
 * takes the shard over can load those first. A use itself costs no write: it only moves the cell in memory.
 */
export class RecentUse {
  private readonly parts: RecentUseParts;
  private cancel: Cancel | null = null;

  constructor(parts: RecentUseParts) {
    this.parts = parts;
  }

  /** There is something to write down, sooner or later. */
  arm(): void {
    if (this.cancel !== null) return;
    this.cancel = this.parts.clock.after(RECENT_MS, () => {
      this.cancel = null;
      this.write();
      if (this.parts.floor.order.size > 0) this.arm();
    });
  }

  close(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private write(): void {
    const byHome = new Map<HeldShard, string[]>();
    let cell: Cell | null = this.parts.floor.order.newest;
    for (let looks = 0; cell !== null && looks < LOOKS_MAX; looks++) {
      const home = cell.home as HeldShard;
      const own = byHome.get(home) ?? [];
      if (own.length === 0) byHome.set(home, own);
      if (own.length < PER_SHARD_MAX && cell.snapshot !== null) own.push(cell.address);
      cell = cell.older;
    }
    for (const [home, addresses] of byHome) this.writeShard(home, addresses);
  }

  private writeShard(home: HeldShard, addresses: readonly string[]): void {
    const text = addresses.join(' ');
    if (home.serving !== 'live' || text === home.recent || addresses.length === 0) return;
    home.recent = text;
    const { queue } = this.parts;
    const rows = new HeldRows(`$shard:${home.shard}`);
    const row = deriveRow(rows, collection, String(home.shard), { shard: home.shard, addresses });
    const outcome = { changes: [], rows: [row], timers: [], publishes: [], errands: false };
    const entry = new Entry(queue.nextOrder(), home, outcome, null, UNHANDLED);
    rows.apply(row, entry);
    queue.push(entry);
  }
}
