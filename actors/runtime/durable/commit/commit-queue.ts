import type { Answer } from '../../actor/answer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineLimits } from '../../ports/limits.ts';
import type { ShardVerdict, Store } from '../../ports/store.ts';
import type { EngineHost } from '../engine.ts';
import type { Shard } from '../shard.ts';
import { type Batch, BatchBuilder } from './batch.ts';
import type { Entry } from './entry.ts';

/** The outcome of a batch. The judge updates memory and releases the outputs. */
export interface Judge {
  /** The store returned a result for every shard of the batch. */
  judged(entries: readonly Entry[], verdicts: readonly ShardVerdict[]): void;
  /** The outcome is unknown: the batch may or may not be committed. */
  unknown(entries: readonly Entry[], detail: string): void;
  /** The batch was certainly not committed: discard memory of these shards that is ahead of the store. */
  refused(shards: ReadonlySet<Shard>, entries: readonly Entry[], answer: Answer): void;
}

/** Stepping pauses when this many full batches of entries wait. */
const BATCHES_AHEAD_MAX = 4;

/** Entries of the shards that share one part of the store, in order. */
interface Line {
  waiting: Entry[];
  inFlight: readonly Entry[] | null;
  /** Monotonic ms at which these were sent. */
  sentAt: number;
  armed: boolean;
}

/**
 * The ordered queue of a node's entries. Each part of the store has one line, and all entries of a shard use the same
 * line. Each line has at most one batch in flight. When a commit returns, the next batch takes the entries that wait by
 * then. If none wait, it forms at the end of the turn that adds the next entry, so that entries of one turn are
 * committed together. The queue does not interpret outcomes: that is the judge's task.
 */
export class CommitQueue {
  commits = 0;
  entries = 0;
  private readonly lines: readonly Line[];
  private order = 0;
  /** Outcomes to judge next, while a judgement is running; null otherwise. */
  private judgements: (() => void)[] | null = null;
  private readonly store: Pick<Store, 'commit' | 'parts'>;
  private readonly clock: Clock;
  private judge!: Judge;
  private readonly host: Pick<EngineHost, 'committed'>;
  private readonly builder: BatchBuilder;
  private readonly waitingMax: number;

  constructor(options: {
    readonly store: Pick<Store, 'commit' | 'parts'>;
    readonly clock: Clock;
    readonly self: string;
    readonly limits: EngineLimits;
    readonly host?: Pick<EngineHost, 'committed'>;
  }) {
    this.store = options.store;
    this.clock = options.clock;
    this.host = options.host ?? {};
    this.builder = new BatchBuilder(options.self, options.limits);
    this.lines = Array.from({ length: options.store.parts ?? 1 }, () => ({
      waiting: [],
      inFlight: null,
      sentAt: 0,
      armed: false,
    }));
    this.waitingMax = options.limits.commitEntriesMax * BATCHES_AHEAD_MAX;
  }

  /** Names the judge of all outcomes. Called once, before the first entry: the judge itself needs the queue. */
  start(judge: Judge): void {
    this.judge = judge;
  }

  /** The sequence number of the next entry over all lines. */
  nextOrder(): number {
    return ++this.order;
  }

  get lineCount(): number {
    return this.lines.length;
  }

  /** The index of the line that holds a shard's entries. */
  lineOf(shard: number): number {
    return shard % this.lines.length;
  }

  /** True when a line is full, so that stepping must pause; `judge` is called when this may have changed. */
  isFull(line: number): boolean {
    return (this.lines[line] as Line).waiting.length >= this.waitingMax;
  }

  /** Batches in flight. */
  get inFlight(): number {
    return this.lines.reduce((sum, line) => sum + (line.inFlight === null ? 0 : 1), 0);
  }

  /** Entries that are not durable yet. */
  get waiting(): number {
    return this.lines.reduce((sum, line) => sum + line.waiting.length + (line.inFlight?.length ?? 0), 0);
  }

  /** For how long the oldest batch has been at the store, ms; 0 without one. Entries that wait are younger than it. */
  get lagMs(): number {
    const sent = this.lines.flatMap(({ inFlight, sentAt }) => (inFlight === null ? [] : [sentAt]));
    return sent.length === 0 ? 0 : this.clock.monotonic() - Math.min(...sent);
  }

  push(entry: Entry): void {
    const line = this.lineAt(entry.shard);
    line.waiting.push(entry);
    entry.shard.entries++;
    this.entries++;
    this.arm(line);
  }

  /**
   * Called when memory reflects the store's result and before any output is released, so that the writer does not wait
   * for the outputs or their consequences. A batch smaller than one formed at the end of the turn costs more, but an
   * idle writer costs more still (measured: actors/DECISIONS.md, 2026-11-22).
   */
  handOver(): void {
    for (const line of this.lines) this.flush(line);
  }

  /** Removes and returns all waiting entries of these shards, in order; entries in flight stay. */
  withdraw(shards: ReadonlySet<Shard>): readonly Entry[] {
    const taken: Entry[] = [];
    for (const line of new Set([...shards].map((shard) => this.lineAt(shard)))) {
      if (!line.waiting.some((entry) => shards.has(entry.shard))) continue;
      for (const entry of line.waiting) if (shards.has(entry.shard)) taken.push(entry);
      line.waiting = line.waiting.filter((entry) => !shards.has(entry.shard));
    }
    return taken;
  }

  /** Entries of this shard in flight. */
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
    const sentAt = this.clock.monotonic();
    line.sentAt = sentAt;
    this.commit(batch).then(
      (verdicts) => {
        if (batch.writes.length > 0) this.host.committed?.(this.clock.monotonic() - sentAt);
        this.ended(line, () => this.judge.judged(entries, verdicts));
      },
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
      // A batch submitted during the judgement may add one.
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

  /** Entries of shards with invalid JSON never reach the store: their shards are rewound to the stored state. */
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
