import type { Cell } from '../../actor/cell.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CellRegistry } from '../engine/cell-registry.ts';
import type { EngineHost, QuarantinedActor, Reloaded } from '../engine/engine.ts';
import type { Runner } from '../engine/runner.ts';
import type { Shard } from '../engine/shard.ts';
import type { Adoption } from '../residency/adoption.ts';
import type { Timers } from '../timers/timers.ts';

const SHOWN_MAX = 100;
/** How long an actor's own uncommitted writes are waited for before it is loaded again. */
const SETTLE_TRIES_MAX = 100;
const SETTLE_MS = 20;

export interface QuarantineParts {
  readonly registry: CellRegistry;
  readonly runner: Runner;
  readonly timers: Timers;
  readonly adoption: Adoption;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/**
 * Actors whose stored state does not load: each is put aside alone, reported once, answers nothing but that, and is
 * never written. Only an operator's word, or another build, has it tried again; nothing is mended by itself.
 */
export class Quarantine {
  private readonly parts: QuarantineParts;

  constructor(parts: QuarantineParts) {
    this.parts = parts;
  }

  get size(): number {
    return this.parts.registry.quarantined.size;
  }

  /** Those known here, at most a hundred. Damage that nobody has met yet is not among them. */
  list(): readonly QuarantinedActor[] {
    const shown: QuarantinedActor[] = [];
    for (const { address, fault } of this.parts.registry.quarantined) {
      if (shown.length >= SHOWN_MAX) break;
      shown.push({ address, fault });
    }
    return shown;
  }

  put(cell: Cell, fault: string): void {
    const { registry, host } = this.parts;
    const shard = cell.shard as Shard;
    cell.phase = 'quarantined';
    cell.fault = fault;
    registry.quarantine(cell);
    if (shard.reported.has(cell.address)) return;
    shard.reported.add(cell.address);
    const message = 'an actor is quarantined: what is stored of it does not load';
    host.log({ level: 'error', message, address: cell.address, detail: fault });
  }

  /** A timer of this actor does not load: the whole actor waits for an operator, whatever its state. */
  timerFault(shard: Shard, address: string, fault: string): void {
    if (shard.faults.has(address)) return;
    shard.faults.set(address, fault);
    const { registry, runner } = this.parts;
    if (registry.faultOf(address) !== null) {
      this.parts.host.log({ level: 'error', message: 'a timer belongs to nobody', address, detail: fault });
      return;
    }
    const cell = runner.cellOf(address, shard);
    if (cell.phase !== 'ready') return;
    this.put(cell, fault);
    if (cell.parked === null) runner.wake(cell);
  }

  /** Loads a quarantined actor again, after its row was mended. */
  async reload(address: string): Promise<Reloaded> {
    const { registry, runner, timers, adoption } = this.parts;
    const shard = registry.shardOf(address);
    if (shard === undefined || shard.serving !== 'live') return { outcome: 'not-served' };
    if (registry.faultOf(address) !== null) return { outcome: 'absent' };
    const cell = runner.cellOf(address, shard);
    cell.pins++;
    try {
      if (cell.phase === 'loading') await loaded(cell);
      if (cell.phase !== 'quarantined') return { outcome: outcomeOf(cell, 'was-not-quarantined') };
      shard.faults.delete(address);
      await timers.recheck(shard, address);
      if (!(await this.restart(cell))) return { outcome: 'not-served' };
      // What happened meanwhile, which the compiler cannot know.
      if ((cell.phase as Cell['phase']) === 'loading') await loaded(cell);
      if ((cell.phase as Cell['phase']) === 'quarantined') return { outcome: 'quarantined', fault: cell.fault };
      shard.reported.delete(address);
      adoption.returned(cell, shard);
      return { outcome: outcomeOf(cell, 'loaded') };
    } finally {
      cell.pins--;
      runner.tidy(cell);
    }
  }

  /**
   * In the very turn in which nothing of it is under way: an input that is kept later sees it loading, and waits. False
   * when its shard is gone, whose cells nobody loads.
   */
  private async restart(cell: Cell): Promise<boolean> {
    const { registry, runner, clock } = this.parts;
    for (let tries = 0; tries < SETTLE_TRIES_MAX; tries++) {
      if (cell.shard.serving === 'gone') return false;
      // Somebody else reloads it: whoever comes second only waits.
      if (cell.phase !== 'quarantined') return true;
      if (registry.cells.get(cell.address) !== cell)
        throw new Error(`${cell.address} left memory meanwhile: try again`);
      if (cell.rows.unsettled === 0 && cell.pending === null) {
        registry.rewind(cell);
        runner.reload(cell);
        return true;
      }
      await new Promise<void>((resolve) => clock.after(SETTLE_MS, resolve));
    }
    throw new Error(`${cell.address} still has writes under way: try again`);
  }
}

function outcomeOf<O>(cell: Cell, present: O): O | 'absent' | 'not-served' {
  if (cell.shard.serving === 'gone') return 'not-served';
  return cell.snapshot === null ? 'absent' : present;
}

/** Rejects when the store did not answer. */
function loaded(cell: Cell): Promise<void> {
  return new Promise((resolve, reject) => {
    cell.onLoaded.push((failure) => {
      if (failure === null) resolve();
      else if (failure.ok || failure.failure.code === 'moved') resolve();
      else reject(new Error('detail' in failure.failure ? failure.failure.detail : failure.failure.code));
    });
  });
}
