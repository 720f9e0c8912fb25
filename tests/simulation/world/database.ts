import type {
  ClusterRows,
  Heartbeat,
  ShardRow,
  ShardVerdict,
  ShardWrite,
} from '../../../actors/runtime/ports/store.ts';
import { MemoryTables } from '../../support/memory-tables.ts';
import type { Scheduler } from './scheduler.ts';

/** One commit as executed by the database: each write with the state it found. */
export interface CommitSeen {
  readonly at: number;
  /** Name of the node that asked. */
  readonly node: string;
  readonly echo: boolean;
  readonly write: ShardWrite;
  readonly verdict: ShardVerdict;
  /** Owner and epoch of the shard at that moment. */
  readonly held: ShardRow;
  /** Version of each written actor before and after; 0 is none. */
  readonly versions: readonly { readonly address: string; readonly before: number; readonly after: number }[];
}

/** Observes the database synchronously, before any caller gets its reply. */
export interface Witness {
  committed(seen: CommitSeen): void;
  /** A shard has a new owner. */
  moved(before: ShardRow, after: ShardRow): void;
  markedDead(incarnation: string, why: string): void;
  /** A call took effect, but its reply is lost. */
  unanswered(call: string): void;
  /** One transaction wrote some shards and refused others. */
  divided(): void;
}

/** The witness of a world that no auditor judges. */
export const UNSEEN: Witness = { committed() {}, moved() {}, markedDead() {}, unanswered() {}, divided() {} };

/** The durable half of a world: survives every node. Its clock is the store time. */
export class Database {
  readonly tables: MemoryTables;
  readonly shardCount: number;
  /** Commits that certainly did not happen. */
  refusals = 0;
  readonly scheduler: Scheduler;
  #startsAt: number;
  readonly #witness: Witness;
  /** What runs right ahead of a node's next commit of several shards. */
  readonly #ahead = new Map<string, (writes: readonly ShardWrite[]) => void>();

  constructor(options: {
    readonly scheduler: Scheduler;
    readonly shards: number;
    readonly startsAt: number;
    readonly witness: Witness;
  }) {
    this.scheduler = options.scheduler;
    this.shardCount = options.shards;
    this.tables = new MemoryTables(options.shards, () => this.now());
    this.#startsAt = options.startsAt;
    this.#witness = options.witness;
  }

  /** Wall time at virtual time 0, ms since the epoch. */
  get startsAt(): number {
    return this.#startsAt;
  }

  /** Moves store time forward without running anything in between, as while the whole cluster is down. */
  jump(ms: number): void {
    this.#startsAt += ms;
  }

  /** Store time, ms. */
  now(): number {
    return Math.floor(this.#startsAt + this.scheduler.now);
  }

  /** Something that the database executes between the request of the node's next commit of several shards and itself. */
  interpose(node: string, run: (writes: readonly ShardWrite[]) => void): void {
    this.#ahead.set(node, run);
  }

  commit(writes: readonly ShardWrite[], node: string, echo = false): readonly ShardVerdict[] {
    if (!echo && writes.length > 1) this.#runAhead(writes, node);
    const held = this.tables.shardRows();
    const before = writes.map((write) => this.#versions(write));
    const verdicts = this.judge(writes);
    if (new Set(verdicts.map((verdict) => verdict.committed)).size > 1) this.#witness.divided();
    verdicts.forEach((verdict, index) => {
      const write = writes[index] as ShardWrite;
      const after = this.#versions(write);
      const versions = (before[index] as readonly (readonly [string, number])[]).map(([address, version], at) => ({
        address,
        before: version,
        after: (after[at] as readonly [string, number])[1],
      }));
      const row = this.told(held[write.shard] as ShardRow);
      this.#witness.committed({ at: this.scheduler.now, node, echo, write, verdict, held: row, versions });
    });
    return verdicts;
  }

  /** The commit rules; mutations override them. */
  judge(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    return this.tables.commit(writes);
  }

  unanswered(call: string): void {
    this.#witness.unanswered(call);
  }

  heartbeat(beat: Heartbeat): ClusterRows {
    return { now: this.now(), ...this.tables.heartbeat(beat) };
  }

  shards(): readonly ShardRow[] {
    return this.tables.shardRows();
  }

  claim(owner: string, from: readonly ShardRow[]): readonly ShardRow[] {
    const before = this.tables.shardRows();
    const taken = this.tables.claim(owner, from);
    for (const row of taken) this.#moved(before[row.shard] as ShardRow, row);
    return taken;
  }

  give(from: ShardRow, to: string): ShardRow | null {
    const before = this.tables.shardRows()[from.shard] as ShardRow;
    const given = this.tables.give(from, to);
    if (given !== null) this.#moved(before, given);
    return given;
  }

  markDead(incarnation: string, seenBeat: number, why: string, suspectedAt?: number): boolean {
    const markedDead = this.tables.markDead(incarnation, seenBeat, why, suspectedAt);
    if (markedDead) this.#witness.markedDead(incarnation, why);
    return markedDead;
  }

  /** A shard's row as returned to callers; mutations override it. */
  protected told(row: ShardRow): ShardRow {
    return row;
  }

  #runAhead(writes: readonly ShardWrite[], node: string): void {
    const run = this.#ahead.get(node);
    this.#ahead.delete(node);
    run?.(writes);
  }

  #moved(before: ShardRow, after: ShardRow): void {
    this.#witness.moved(this.told(before), this.told(after));
  }

  #versions({ actors, stopped }: ShardWrite): readonly (readonly [string, number])[] {
    const addresses = [...actors.map(({ record }) => record.address), ...stopped.map(({ address }) => address)];
    return addresses.map((address) => [address, this.tables.loadActor(address)?.actor.version ?? 0]);
  }
}
