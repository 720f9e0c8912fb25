import type { Answer } from '../../actor/answer.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShardVerdict } from '../../ports/store.ts';
import type { CommitQueue, Judge } from '../commit/commit-queue.ts';
import type { Entry } from '../commit/entry.ts';
import type { OutputGate } from '../commit/output-gate.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { EngineHost } from '../engine.ts';
import { LOST, moved } from '../failures.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Quiescence } from '../residency/quiescence.ts';
import type { Shard } from '../shard.ts';
import type { Timers } from '../timers/timers.ts';

/** The parts that a judgement updates. */
interface JudgeParts {
  readonly registry: CellRegistry;
  readonly queue: CommitQueue;
  readonly outputGate: OutputGate;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  /** Null for an engine without a cluster port. */
  readonly outgoing: Outgoing | null;
  readonly host: EngineHost;
  /** Work of a shard ended: a shard that is being released may be quiescent. */
  readonly quiescence: Quiescence;
  readonly clock: Clock;
}

type Lost = { readonly shard: Shard; readonly reason: 'fence' | 'version' | 'unknown' };

/**
 * Updates memory from commit results: outputs of durable entries are released, lost shards are dropped whole, and
 * refused shards are rewound to the stored state. Each shard is judged independently of the others.
 */
export class StoreJudge implements Judge {
  private readonly parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.parts = parts;
  }

  judged(entries: readonly Entry[], verdicts: readonly ShardVerdict[]): void {
    const lost: Lost[] = [];
    const judged = new Map(verdicts.map((verdict) => [verdict.shard, verdict]));
    for (const shard of new Set(entries.map((entry) => entry.shard))) {
      const verdict = judged.get(shard.id);
      if (shard.serving === 'gone' || verdict?.committed) continue;
      lost.push({ shard, reason: verdict === undefined ? 'unknown' : verdict.reason });
    }
    this.conclude(() => {
      for (const { shard, reason } of lost) {
        const answer = reason === 'unknown' ? LOST : moved(shard.epoch);
        this.drop(shard, entries, answer);
      }
      this.settle(entries.filter((entry) => entry.shard.serving !== 'gone'));
    }, lost);
  }

  unknown(entries: readonly Entry[], detail: string): void {
    const lost: Lost[] = [];
    for (const shard of new Set(entries.map((entry) => entry.shard))) {
      if (shard.serving !== 'gone') lost.push({ shard, reason: 'unknown' });
    }
    this.parts.host.log({ level: 'warn', message: 'a commit has an unknown outcome', shards: lost.length, detail });
    this.conclude(() => {
      for (const { shard } of lost) this.drop(shard, entries, LOST);
    }, lost);
  }

  refused(shards: ReadonlySet<Shard>, entries: readonly Entry[], answer: Answer): void {
    const { queue, outputGate, timers, host } = this.parts;
    this.conclude(() => {
      const voided = [...entries, ...queue.withdraw(shards)].filter((entry) => entry.shard.serving !== 'gone');
      host.log({ level: 'warn', message: 'a commit was refused', entries: voided.length, answer });
      for (const entry of voided) entry.shard.entries--;
      for (const shard of shards) {
        if (shard.serving === 'gone') continue;
        for (const cell of [...shard.cells]) this.rewind(cell);
        timers.open(shard);
        if (shard.serving === 'quiescing') timers.pause(shard);
      }
      timers.fill([...shards]);
      for (const entry of voided) outputGate.refuse(entry, answer);
    }, []);
  }

  /**
   * Drops a shard from memory. Entries in flight are answered `handed`; all others are answered `moved`, because they
   * certainly never become durable.
   */
  drop(shard: Shard, inFlight: readonly Entry[], handed: Answer): void {
    const { registry, queue, outputGate, dispatcher, timers } = this.parts;
    shard.serving = 'gone';
    if (registry.shards.get(shard.id) === shard) registry.shards.delete(shard.id);
    const away = moved(shard.epoch);
    const waiting = queue.withdraw(new Set([shard]));
    const cells = [...shard.cells];
    for (const cell of cells) registry.remove(cell);
    timers.drop(shard);
    this.parts.outgoing?.drop(shard);
    for (const entry of inFlight) if (entry.shard === shard) outputGate.refuse(entry, handed);
    for (const entry of waiting) outputGate.refuse(entry, away);
    for (const cell of cells) {
      dispatcher.turnAway(cell, away);
      for (const waiter of cell.onLoaded.splice(0)) waiter(away);
    }
    for (const released of shard.onReleased.splice(0)) released();
  }

  /** Updates all memory before any output, so that a receiver that reacts to an answer sees consistent state. */
  private conclude(work: () => void, lost: readonly Lost[]): void {
    const { dispatcher, host, quiescence } = this.parts;
    dispatcher.after(work);
    for (const { shard, reason } of lost) {
      try {
        host.lost(shard.id, reason);
      } catch (error) {
        host.log({ level: 'error', message: 'the host callback threw', shard: shard.id, error: String(error) });
      }
    }
    quiescence.check();
  }

  private settle(entries: readonly Entry[]): void {
    const { queue, outputGate, outgoing } = this.parts;
    for (const entry of entries) this.becomeDurable(entry);
    queue.handOver();
    for (const entry of entries) {
      if (entry.outgoing) outgoing?.durable(entry);
      this.report(entry);
      outputGate.open(entry);
    }
  }

  private report({ rows }: Entry): void {
    for (const { collection, id, body, removed } of rows) {
      if (removed || collection.reported === null || !collection.reported(body)) continue;
      this.parts.host.reported?.({ collection: collection.name, id, body });
    }
  }

  private becomeDurable(entry: Entry): void {
    const { timers } = this.parts;
    const { shard } = entry;
    shard.entries--;
    if (!shard.committed) this.firstCommit(shard);
    for (const write of entry.rows) write.beside.settled(write, entry);
    for (const write of entry.timers) timers.settled(shard, write.address, write.name, entry);
    for (const change of entry.changes) {
      const { cell } = change;
      cell.durableVersion = cell.handedVersion;
      shard.versionFloor.passed(cell.address);
      if (change.stopped) timers.settledStop(shard, cell.address, entry);
      if (cell.pending !== entry) continue;
      cell.pending = null;
      if (cell.stopping) this.ended(cell);
    }
  }

  /** The actor's end is durable: the actor is absent now and may be created again. */
  private ended(cell: Cell): void {
    const { versionFloor } = cell.shard as Shard;
    versionFloor.ended(cell.version);
    cell.stopping = false;
    cell.version = versionFloor.ofAbsent(cell.address);
    cell.restoredVersion = cell.version;
    cell.durableVersion = 0;
    cell.awaiting = 0;
    this.parts.dispatcher.wake(cell);
  }

  private rewind(cell: Cell): void {
    const { registry, dispatcher } = this.parts;
    if (cell.pending === null && cell.rows.unsettled === 0) return;
    (cell.shard as Shard).versionFloor.note(cell.address, cell.version);
    if (cell.mailbox.size === 0 && cell.parked === null) {
      registry.remove(cell);
      return;
    }
    registry.rewind(cell);
    dispatcher.load(cell);
  }

  private firstCommit(shard: Shard): void {
    shard.committed = true;
    const ms = this.parts.clock.monotonic() - shard.adoptedAt;
    this.parts.host.log({
      level: 'debug',
      message: 'first commit after adoption',
      shard: shard.id,
      epoch: shard.epoch,
      ms,
    });
  }
}
