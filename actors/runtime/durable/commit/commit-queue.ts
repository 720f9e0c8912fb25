import type { Answer } from '../../actor/answer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShardVerdict, Store } from '../../ports/store.ts';
import type { EngineLimits } from '../engine/engine-limits.ts';
import type { Shard } from '../engine/shard.ts';
import { type Batch, BatchBuilder } from './batch.ts';
import type { Entry } from './entry.ts';

/** What becomes of a batch; the judge updates memory and lets the outputs go. */
export interface Judge {
  /** The store has answered for every shard of the batch. */
  judged(entries: readonly Entry[], verdicts: readonly ShardVerdict[]): void;
  /** Whether it happened cannot be known. */
  unknown(entries: readonly Entry[], detail: string): void;
  /** It certainly did not happen; memory of these shards that is ahead of the store is void. */
  refused(shards: ReadonlySet<Shard>, entries: readonly Entry[], answer: Answer): void;
}

/** How many batches' worth of entries may wait before stepping pauses. */
const BATCHES_AHEAD_MAX = 4;

/** Entries of the shards that share a part of the store, in order. */
interface Line {
  waiting: Entry[];
  inFlight: readonly Entry[] | null;
  armed: boolean;
}

/**
 * The ordered queue of a node's entries: one line for each part of the store, and a shard's entries always in the same
 * one. Of each line one batch is with the store at a time. The next forms as soon as that one is answered, of whatever
 * waits by then; where nothing does, at the end of the turn that brings the first entry, so that entries of one turn
 * travel together. Judges nothing itself.
 */
export class CommitQueue {
  commits = 0;
  entries = 0;
  private readonly lines: readonly Line[];
  private order = 0;
  /** What is to be judged next, while a judgement is under way; else null. */
  private judgements: (() => void)[] | null = null;
  private readonly store: Pick<Store, 'commit' | 'parts'>;
  private readonly clock: Clock;
  private readonly judge: Judge;
  private readonly builder: BatchBuilder;
  private readonly waitingMax: number;

  constructor(options: {
    readonly store: Pick<Store, 'commit' | 'parts'>;
    readonly clock: Clock;
    readonly self: string;
    readonly limits: EngineLimits;
    readonly judge: Judge;
  }) {
    this.store = options.store;
    this.clock = options.clock;
    this.judge = options.judge;
    this.builder = new BatchBuilder(options.self, options.limits);
    this.lines = Array.from({ length: options.store.parts ?? 1 }, () => ({
      waiting: [],
      inFlight: null,
      armed: false,
    }));
    this.waitingMax = options.limits.commitEntriesMax * BATCHES_AHEAD_MAX;
  }

  /** The place of the next entry in the order of all. */
  nextOrder(): number {
    return ++this.order;
  }

  get lineCount(): number {
    return this.lines.length;
  }

  /** The number of the line in which a shard's entries wait. */
  lineOf(shard: number): number {
    return shard % this.lines.length;
  }

  /** True when so much waits in a line that no more should be stepped; `judge` is called when that may have changed. */
  isFull(line: number): boolean {
    return (this.lines[line] as Line).waiting.length >= this.waitingMax;
  }

  /** Batches that are with the store. */
  get inFlight(): number {
    return this.lines.reduce((sum, line) => sum + (line.inFlight === null ? 0 : 1), 0);
  }

  push(entry: Entry): void {
    const line = this.lineAt(entry.shard);
    line.waiting.push(entry);
    entry.shard.entries++;
    this.entries++;
    this.arm(line);
  }

  /**
   * Called once memory shows what the store has answered, and before anything leaves: the writer need not wait for that,
   * nor for what comes of it. A smaller batch costs more than it would at the end of the turn, an idle writer still more
   * (measured: actors/README, 2026-11-22).
   */
  handOver(): void {
    for (const line of this.lines) this.flush(line);
  }

  /** Takes out all waiting entries of these shards, in order; what is with the store stays there. */
  withdraw(shards: ReadonlySet<Shard>): readonly Entry[] {
    const taken: Entry[] = [];
    for (const line of new Set([...shards].map((shard) => this.lineAt(shard)))) {
      if (!line.waiting.some((entry) => shards.has(entry.shard))) continue;
      for (const entry of line.waiting) if (shards.has(entry.shard)) taken.push(entry);
      line.waiting = line.waiting.filter((entry) => !shards.has(entry.shard));
    }
    return taken;
  }

  /** Entries of this shard that are with the store. */
  inFlightOf(shard: Shard): readonly Entry[] {
    return this.lineAt(shard).inFlight?.filter((entry) => entry.shard === shard) ?? [];
  }

  private lineAt(shard: Shard): Line {
    return this.lines[this.lineOf(shard.id)] as Line;
  }

  private arm(line: Line): void {
    if (line.armed || line.inFlight !== null || line.waiting.length === 0) return;
    line.armed = true;
    this.clock.after(0, () => {
      line.armed = false;
      this.flush(line);
    });
  }

  private flush(line: Line): void {
    if (line.inFlight !== null || line.waiting.length === 0) return;
    const batch = this.builder.build(line.waiting);
    line.waiting = line.waiting.slice(batch.entries.length);
    const entries = this.withoutBroken(batch);
    line.inFlight = entries;
    this.commits++;
    this.commit(batch).then(
      (verdicts) => this.ended(line, () => this.judge.judged(entries, verdicts)),
      (error: unknown) => this.ended(line, () => this.rejected(entries, error)),
    );
  }

  private async commit(batch: Batch): Promise<readonly ShardVerdict[]> {
    return batch.writes.length === 0 ? [] : this.store.commit(batch.writes);
  }

  private ended(line: Line, judge: () => void): void {
    line.inFlight = null;
    const judgements = [judge];
    this.judgements = judgements;
    try {
      // A batch that is handed over meanwhile may add one.
      for (const next of judgements) next();
    } finally {
      this.judgements = null;
      this.arm(line);
    }
  }

  private rejected(entries: readonly Entry[], error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && error.name === 'StoreRefused') {
      const shards = new Set(entries.map((entry) => entry.shard));
      this.judge.refused(shards, entries, { ok: false, failure: { code: 'refused', detail } });
    } else this.judge.unknown(entries, detail);
  }

  /** Entries whose shard holds what is no JSON never reach the store: their shard goes back to what is stored. */
  private withoutBroken(batch: Batch): readonly Entry[] {
    if (batch.broken.length === 0) return batch.entries;
    const shards = new Set(batch.broken.map(({ shard }) => shard));
    const detail = batch.broken.map((fault) => `shard ${fault.shard.id}: ${fault.detail}`).join('; ');
    const broken = batch.entries.filter((entry) => shards.has(entry.shard));
    const refuse = () => this.judge.refused(shards, broken, { ok: false, failure: { code: 'failed', detail } });
    if (this.judgements === null) refuse();
    else this.judgements.push(refuse);
    return batch.entries.filter((entry) => !shards.has(entry.shard));
  }
}
