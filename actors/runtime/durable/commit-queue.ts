import type { Answer } from '../actor/answer.ts';
import type { Clock } from '../ports/clock.ts';
import type { ShardVerdict, Store } from '../ports/store.ts';
import { type Batch, BatchBuilder } from './batch.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { Entry } from './entry.ts';
import type { HeldShard } from './held-shard.ts';

/** What becomes of a batch; the judge updates memory and lets the outputs go. */
export interface Judge {
  /** The store has answered for every shard of the batch. */
  judged(entries: readonly Entry[], verdicts: readonly ShardVerdict[]): void;
  /** Whether it happened cannot be known. */
  unknown(entries: readonly Entry[], detail: string): void;
  /** It certainly did not happen; memory of these shards that is ahead of the store is void. */
  refused(homes: ReadonlySet<HeldShard>, entries: readonly Entry[], answer: Answer): void;
}

/** How many batches' worth of entries may wait before stepping pauses. */
const BATCHES_AHEAD_MAX = 4;

/**
 * The one ordered queue of a node's entries. One batch is with the store at a time; the next forms at the end of the
 * turn in which the writer is idle, so that entries of one turn travel together. Judges nothing itself.
 */
export class CommitQueue {
  commits = 0;
  entries = 0;
  private waiting: Entry[] = [];
  private inFlight: readonly Entry[] | null = null;
  private armed = false;
  private order = 0;
  private readonly store: Pick<Store, 'commit'>;
  private readonly clock: Clock;
  private readonly judge: Judge;
  private readonly builder: BatchBuilder;
  private readonly waitingMax: number;

  constructor(options: {
    readonly store: Pick<Store, 'commit'>;
    readonly clock: Clock;
    readonly self: string;
    readonly limits: EngineLimits;
    readonly judge: Judge;
  }) {
    this.store = options.store;
    this.clock = options.clock;
    this.judge = options.judge;
    this.builder = new BatchBuilder(options.self, options.limits);
    this.waitingMax = options.limits.commitEntriesMax * BATCHES_AHEAD_MAX;
  }

  /** The place of the next entry in the order of all. */
  nextOrder(): number {
    return ++this.order;
  }

  /** True when so much waits that no more should be stepped; `judge` is called when that may have changed. */
  get full(): boolean {
    return this.waiting.length >= this.waitingMax;
  }

  get busy(): boolean {
    return this.inFlight !== null;
  }

  push(entry: Entry): void {
    this.waiting.push(entry);
    entry.home.entries++;
    this.entries++;
    this.arm();
  }

  /** Takes out all waiting entries of these shards, in order; what is with the store stays there. */
  withdraw(homes: ReadonlySet<HeldShard>): readonly Entry[] {
    const taken = this.waiting.filter((entry) => homes.has(entry.home));
    if (taken.length > 0) this.waiting = this.waiting.filter((entry) => !homes.has(entry.home));
    return taken;
  }

  /** Entries of this shard that are with the store. */
  inFlightOf(home: HeldShard): readonly Entry[] {
    return this.inFlight?.filter((entry) => entry.home === home) ?? [];
  }

  private arm(): void {
    if (this.armed || this.inFlight !== null || this.waiting.length === 0) return;
    this.armed = true;
    this.clock.after(0, () => {
      this.armed = false;
      this.flush();
    });
  }

  private flush(): void {
    if (this.inFlight !== null || this.waiting.length === 0) return;
    const batch = this.builder.build(this.waiting);
    this.waiting = this.waiting.slice(batch.entries.length);
    const entries = this.withoutBroken(batch);
    this.inFlight = entries;
    this.commits++;
    this.commit(batch).then(
      (verdicts) => this.ended(() => this.judge.judged(entries, verdicts)),
      (error: unknown) => this.ended(() => this.rejected(entries, error)),
    );
  }

  private async commit(batch: Batch): Promise<readonly ShardVerdict[]> {
    return batch.writes.length === 0 ? [] : this.store.commit(batch.writes);
  }

  private ended(judge: () => void): void {
    this.inFlight = null;
    try {
      judge();
    } finally {
      this.arm();
    }
  }

  private rejected(entries: readonly Entry[], error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && error.name === 'StoreRefused') {
      const homes = new Set(entries.map((entry) => entry.home));
      this.judge.refused(homes, entries, { ok: false, failure: { code: 'refused', detail } });
    } else this.judge.unknown(entries, detail);
  }

  /** Entries whose shard holds what is no JSON never reach the store: their shard goes back to what is stored. */
  private withoutBroken(batch: Batch): readonly Entry[] {
    if (batch.broken.length === 0) return batch.entries;
    const homes = new Set(batch.broken.map(({ home }) => home));
    const detail = batch.broken.map((fault) => `shard ${fault.home.shard}: ${fault.detail}`).join('; ');
    const broken = batch.entries.filter((entry) => homes.has(entry.home));
    this.judge.refused(homes, broken, { ok: false, failure: { code: 'failed', detail } });
    return batch.entries.filter((entry) => !homes.has(entry.home));
  }
}
