/**
 * The Store port in memory, with the semantics of the real ones, for engine, cluster and contract tests. Several nodes
 * share one instance through `connect()`; each connection has its own faults, so that one node can lose the store, an
 * acknowledgement or run into a time-out while the others continue. Never fails by itself.
 */
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import {
  type ActorQuery,
  type ClusterRows,
  type Heartbeat,
  type IndexColumn,
  type NodeRow,
  type RowKey,
  type RowQuery,
  type RowRecord,
  type ShardRow,
  type ShardVerdict,
  type ShardWrite,
  type Store,
  StoreOutcomeUnknown,
  StoreRefused,
} from '../../actors/runtime/ports/store.ts';
import type { Registration } from './memory-membership.ts';
import { MemoryTables } from './memory-tables.ts';

/** The fault of one commit. */
export type CommitFault =
  /** Certainly not written: StoreRefused. */
  | { readonly type: 'refuse'; readonly reason: 'full' | 'busy' | 'unreachable' }
  /** Not written, and the outcome is unknown to the caller: StoreOutcomeUnknown. */
  | { readonly type: 'fail' }
  /** Written, but the acknowledgement is lost: StoreOutcomeUnknown. */
  | { readonly type: 'lose-acknowledgement' }
  /** Written late, in order with the commits around it. */
  | { readonly type: 'delay'; readonly ms: number };

interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Default 256. */
  readonly shards?: number;
  /** Duration of every commit, ms; 0 (default) resolves in the same turn of the loop. */
  readonly commitMs?: number;
}

export class MemoryStore implements Store {
  /** Called before each commit of this connection; null means no fault. */
  fault: ((writes: readonly ShardWrite[], number: number) => CommitFault | null) | null = null;
  /** If true, every call of this connection is rejected as unreachable, as after a network partition. */
  cut = false;
  /** Commits requested through this connection, and those that were applied. */
  commitsAsked = 0;
  commitsApplied = 0;
  /** Shard parts judged `fence` or `version` through this connection. */
  refusals = 0;

  readonly #tables: MemoryTables;
  readonly #options: MemoryStoreOptions;
  #tail: Promise<unknown> | null = null;
  #paused: Promise<void> | null = null;

  constructor(options: MemoryStoreOptions, tables?: MemoryTables) {
    this.#options = options;
    this.#tables = tables ?? new MemoryTables(options.shards ?? 256, () => options.clock.now());
  }

  /** Another node's connection to the same data, without faults. */
  connect(clock: Clock = this.#options.clock): MemoryStore {
    return new MemoryStore({ ...this.#options, clock }, this.#tables);
  }

  /** Delays every later commit of this connection until the returned function is called. */
  pauseCommits(): () => void {
    let resume = (): void => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#paused = paused;
    return () => {
      if (this.#paused === paused) this.#paused = null;
      resume();
    };
  }

  commit(writes: readonly ShardWrite[]): Promise<readonly ShardVerdict[]> {
    if (this.cut) return Promise.reject(new StoreRefused('unreachable', 'the test cut this connection'));
    this.commitsAsked += 1;
    const fault = this.fault?.(writes, this.commitsAsked) ?? null;
    const delayMs = (this.#options.commitMs ?? 0) + (fault?.type === 'delay' ? fault.ms : 0);
    if (this.#tail === null && this.#paused === null && delayMs === 0) return this.#settle(writes, fault);
    const before = this.#tail;
    const paused = this.#paused;
    const done = (async () => {
      await before;
      await paused;
      if (delayMs > 0) await new Promise<void>((resolve) => this.#options.clock.after(delayMs, resolve));
      return this.#settle(writes, fault);
    })();
    const settled = done.then(
      () => {},
      () => {},
    );
    this.#tail = settled;
    void settled.then(() => {
      if (this.#tail === settled) this.#tail = null;
    });
    return done;
  }

  #settle(writes: readonly ShardWrite[], fault: CommitFault | null): Promise<readonly ShardVerdict[]> {
    if (fault?.type === 'refuse') return Promise.reject(new StoreRefused(fault.reason, 'the test refused the commit'));
    if (fault?.type === 'fail') return Promise.reject(new StoreOutcomeUnknown('the test failed the commit'));
    const verdicts = this.#tables.commit(writes);
    this.commitsApplied += 1;
    for (const verdict of verdicts) if (!verdict.committed) this.refusals += 1;
    if (fault?.type === 'lose-acknowledgement') {
      return Promise.reject(new StoreOutcomeUnknown('the test lost the acknowledgement'));
    }
    return Promise.resolve(verdicts);
  }

  /** Runs one table operation asynchronously; rejects while the connection is cut. */
  async #run<T>(operation: () => T): Promise<T> {
    if (this.cut) throw new StoreRefused('unreachable', 'the test cut this connection');
    return operation();
  }

  loadActor(address: string) {
    return this.#run(() => this.#tables.loadActor(address));
  }
  listActors(query: ActorQuery) {
    return this.#run(() => this.#tables.listActors(query));
  }
  actorCounts() {
    return this.#run(() => this.#tables.actorCounts());
  }
  states() {
    return this.#run(() => this.#tables.states());
  }
  row(key: RowKey) {
    return this.#run(() => this.#tables.row(key));
  }
  rowById(collection: string, id: string) {
    return this.#run(() => this.#tables.rowById(collection, id));
  }
  rows(query: RowQuery) {
    return this.#run(() => this.#tables.query(query));
  }
  referred(columns: readonly IndexColumn[], values: readonly string[]) {
    return this.#run(() => this.#tables.referred(columns, values));
  }
  sweepRows(now: number, limit: number) {
    return this.#run(() => this.#tables.sweep(now, limit));
  }
  expiredRows(now: number, limit: number) {
    return this.#run(() => this.#tables.expired(now, limit));
  }
  removeRows(rows: readonly RowRecord[]) {
    return this.#run(() => this.#tables.remove(rows));
  }
  timersDue(shards: readonly number[], until: number, limit: number) {
    return this.#run(() => this.#tables.timersDue(shards, until, limit));
  }
  timersOf(address: string) {
    return this.#run(() => this.#tables.timersOf(address));
  }
  register(node: Registration) {
    return this.#run(() => this.#tables.register(node));
  }
  heartbeat(beat: Heartbeat): Promise<ClusterRows> {
    return this.#run(() => ({ now: this.#options.clock.now(), ...this.#tables.heartbeat(beat) }));
  }
  markDead(incarnation: string, seenBeat: number, why: string, suspectedAt?: number) {
    return this.#run(() => this.#tables.markDead(incarnation, seenBeat, why, suspectedAt));
  }
  leave(incarnation: string) {
    return this.#run(() => this.#tables.leave(incarnation));
  }
  shards() {
    return this.#run(() => this.#tables.shardRows());
  }
  claim(owner: string, from: readonly ShardRow[]) {
    return this.#run(() => this.#tables.claim(owner, from));
  }
  give(from: ShardRow, to: string) {
    return this.#run(() => this.#tables.give(from, to));
  }
  clusterEvents(query: Parameters<Store['clusterEvents']>[0]) {
    return this.#run(() => this.#tables.clusterEvents(query));
  }
  raiseEpochs(jump: number) {
    return this.#run(() => this.#tables.raiseEpochs(jump));
  }
  setting(name: string, valueIfAbsent: string) {
    return this.#run(() => this.#tables.setting(name, valueIfAbsent));
  }
  async close(): Promise<void> {
    await this.#tail;
  }

  /** Lets the next cluster event have this number. */
  nextEvent(n: number): void {
    this.#tables.events.next(n);
  }

  /** For assertions: all nodes that the store keeps, oldest first. */
  allNodes(): readonly NodeRow[] {
    return this.#tables.allNodes();
  }
}
