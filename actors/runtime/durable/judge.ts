import type { Answer } from '../actor/answer.ts';
import type { Cell } from '../actor/cell.ts';
import type { ShardVerdict } from '../ports/store.ts';
import type { CommitQueue, Judge } from './commit-queue.ts';
import type { EngineHost } from './engine.ts';
import type { Entry } from './entry.ts';
import type { Errands } from './errands.ts';
import { LOST, moved } from './failures.ts';
import type { Floor } from './floor.ts';
import type { Gate } from './gate.ts';
import type { HeldShard } from './held-shard.ts';
import type { Runner } from './runner.ts';
import type { Timers } from './timers.ts';
import type { Watchers } from './watchers.ts';

/** What a judgement touches. */
export interface JudgeParts {
  readonly floor: Floor;
  readonly queue: CommitQueue;
  readonly gate: Gate;
  readonly runner: Runner;
  readonly timers: Timers;
  readonly watchers: Watchers;
  /** Null where nothing may leave this engine. */
  readonly errands: Errands | null;
  readonly host: EngineHost;
  /** Monotonic ms, for the takeover figure. */
  readonly monotonic: () => number;
  /** Something of these shards ended: one that is being sealed may be done. */
  readonly eased: () => void;
}

type Lost = { readonly home: HeldShard; readonly reason: 'fence' | 'version' | 'unknown' };

/**
 * Brings memory in line with what the store has answered: durable entries let their outputs go, lost shards are dropped
 * whole, refused ones go back to what is stored. Shards never concern each other.
 */
export class StoreJudge implements Judge {
  private readonly parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.parts = parts;
  }

  judged(entries: readonly Entry[], verdicts: readonly ShardVerdict[]): void {
    const lost: Lost[] = [];
    const judged = new Map(verdicts.map((verdict) => [verdict.shard, verdict]));
    for (const home of new Set(entries.map((entry) => entry.home))) {
      const verdict = judged.get(home.shard);
      if (home.serving === 'gone' || verdict?.committed) continue;
      lost.push({ home, reason: verdict === undefined ? 'unknown' : verdict.reason });
    }
    this.conclude(() => {
      for (const { home, reason } of lost) {
        const answer = reason === 'unknown' ? LOST : moved(home.epoch);
        this.drop(home, entries, answer);
      }
      this.settle(entries.filter((entry) => entry.home.serving !== 'gone'));
    }, lost);
  }

  unknown(entries: readonly Entry[], detail: string): void {
    const lost: Lost[] = [];
    for (const home of new Set(entries.map((entry) => entry.home))) {
      if (home.serving !== 'gone') lost.push({ home, reason: 'unknown' });
    }
    this.parts.host.log({ level: 'warn', message: 'a commit has an unknown outcome', shards: lost.length, detail });
    this.conclude(() => {
      for (const { home } of lost) this.drop(home, entries, LOST);
    }, lost);
  }

  refused(homes: ReadonlySet<HeldShard>, entries: readonly Entry[], answer: Answer): void {
    const { queue, gate, timers, host } = this.parts;
    this.conclude(() => {
      const void_ = [...entries, ...queue.withdraw(homes)].filter((entry) => entry.home.serving !== 'gone');
      host.log({ level: 'warn', message: 'a commit did not happen', entries: void_.length, answer });
      for (const entry of void_) entry.home.entries--;
      for (const home of homes) {
        if (home.serving === 'gone') continue;
        for (const cell of [...home.cells]) this.rewind(cell);
        timers.open(home);
        if (home.serving === 'sealing') timers.rest(home);
      }
      timers.fill([...homes]);
      for (const entry of void_) gate.refuse(entry, answer);
    }, []);
  }

  /**
   * Forgets a shard. Entries that are with the store are answered `handed`, all others `moved`: those certainly never
   * become durable.
   */
  drop(home: HeldShard, inFlight: readonly Entry[], handed: Answer): void {
    const { floor, queue, gate, runner, timers } = this.parts;
    home.serving = 'gone';
    if (floor.shards.get(home.shard) === home) floor.shards.delete(home.shard);
    const away = moved(home.epoch);
    const waiting = queue.withdraw(new Set([home]));
    const cells = [...home.cells];
    for (const cell of cells) floor.remove(cell);
    timers.forget(home);
    this.parts.errands?.forget(home);
    for (const entry of inFlight) if (entry.home === home) gate.refuse(entry, handed);
    for (const entry of waiting) gate.refuse(entry, away);
    for (const cell of cells) {
      runner.turnAway(cell, away);
      for (const waiter of cell.onLoaded.splice(0)) waiter(away);
    }
    for (const sealed of home.onSealed.splice(0)) sealed();
  }

  /** First all memory, then all outputs: whoever reacts to an answer finds everything in place. */
  private conclude(work: () => void, lost: readonly Lost[]): void {
    const { runner, host, eased } = this.parts;
    runner.after(work);
    for (const { home, reason } of lost) {
      try {
        host.lost(home.shard, reason);
      } catch (error) {
        host.log({ level: 'error', message: 'the host threw', shard: home.shard, error: String(error) });
      }
    }
    eased();
  }

  private settle(entries: readonly Entry[]): void {
    const { queue, gate, watchers, errands } = this.parts;
    for (const entry of entries) this.becomeDurable(entry);
    queue.handOver();
    for (const entry of entries) {
      if (entry.errands) errands?.durable(entry);
      watchers.show(entry);
      gate.open(entry);
    }
  }

  private becomeDurable(entry: Entry): void {
    const { timers } = this.parts;
    const { home } = entry;
    home.entries--;
    if (!home.committed) this.firstCommit(home);
    for (const write of entry.rows) write.beside.settled(write, entry);
    for (const write of entry.timers) timers.settled(home, write.address, write.name, entry);
    for (const change of entry.changes) {
      const { cell } = change;
      cell.durableVersion = cell.handedVersion;
      home.reached.passed(cell.address);
      if (change.stopped) timers.settledStop(home, cell.address, entry);
      if (cell.pending !== entry) continue;
      cell.pending = null;
      if (cell.stopping) this.ended(cell);
    }
  }

  /** The actor's end is durable: it is absent now, and may be made again. */
  private ended(cell: Cell): void {
    cell.stopping = false;
    cell.version = 0;
    cell.durableVersion = 0;
    cell.awaiting = 0;
    this.parts.runner.wake(cell);
  }

  private rewind(cell: Cell): void {
    const { floor, runner } = this.parts;
    if (cell.pending === null && cell.rows.unsettled === 0) return;
    (cell.home as HeldShard).reached.note(cell.address, cell.version);
    if (cell.mailbox.size === 0 && cell.parked === null) {
      floor.remove(cell);
      return;
    }
    floor.rewind(cell);
    runner.reload(cell);
  }

  private firstCommit(home: HeldShard): void {
    home.committed = true;
    const { shard, epoch } = home;
    const ms = this.parts.monotonic() - home.adoptedAt;
    this.parts.host.log({ level: 'info', message: 'first commit after adoption', shard, epoch, ms });
  }
}
