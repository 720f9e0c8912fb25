import type { Cell } from '../../actor/cell.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CellRegistry } from '../engine/cell-registry.ts';
import type { Dispatcher } from '../engine/dispatcher.ts';
import type { EngineHost, QuarantinedActor, Reloaded } from '../engine/engine.ts';
import type { Shard } from '../engine/shard.ts';
import type { Adoption } from '../residency/adoption.ts';
import type { Timers } from '../timers/timers.ts';

const SHOWN_MAX = 100;
/** How long a reload waits for the actor's own uncommitted writes: 100 tries, 20 ms apart. */
const SETTLE_TRIES_MAX = 100;
const SETTLE_MS = 20;

export interface QuarantineParts {
  readonly registry: CellRegistry;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  readonly adoption: Adoption;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/**
 * Actors whose stored state does not load. Each is isolated and reported once, answers every input with its fault, and
 * is never written. It is loaded again only when an operator asks for it or another build starts; there is no automatic
 * repair.
 */
export class Quarantine {
  private readonly parts: QuarantineParts;

  constructor(parts: QuarantineParts) {
    this.parts = parts;
  }

  get size(): number {
    return this.parts.registry.quarantined.size;
  }

  /**
   * The quarantined actors of this node, at most 100. Damaged actors that have not been loaded yet are not included.
   */
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
    const message = 'an actor is quarantined: its stored state does not load';
    host.log({ level: 'error', message, address: cell.address, detail: fault });
  }

  /** Called when a stored timer does not load: quarantines the whole actor, loaded or not. */
  timerFault(shard: Shard, address: string, fault: string): void {
    if (shard.faults.has(address)) return;
    shard.faults.set(address, fault);
    const { registry, dispatcher } = this.parts;
    if (registry.faultOf(address) !== null) {
      this.parts.host.log({
        level: 'error',
        message: 'a stored timer belongs to no known actor',
        address,
        detail: fault,
      });
      return;
    }
    const cell = dispatcher.cellOf(address, shard);
    if (cell.phase !== 'ready') return;
    this.put(cell, fault);
    if (cell.parked === null) dispatcher.wake(cell);
  }

  /** Loads a quarantined actor again, after its row was repaired. */
  async reload(address: string): Promise<Reloaded> {
    const { registry, dispatcher, timers, adoption } = this.parts;
    const shard = registry.shardOf(address);
    if (shard === undefined || shard.serving !== 'live') return { outcome: 'not-served' };
    if (registry.faultOf(address) !== null) return { outcome: 'absent' };
    const cell = dispatcher.cellOf(address, shard);
    cell.pins++;
    try {
      if (cell.phase === 'loading') await loaded(cell);
      if (cell.phase !== 'quarantined') return { outcome: outcomeOf(cell, 'was-not-quarantined') };
      shard.faults.delete(address);
      await timers.recheck(shard, address);
      if (!(await this.restart(cell))) return { outcome: 'not-served' };
      // The phase changed during the awaits above, which the compiler does not track.
      if ((cell.phase as Cell['phase']) === 'loading') await loaded(cell);
      if ((cell.phase as Cell['phase']) === 'quarantined') return { outcome: 'quarantined', fault: cell.fault };
      shard.reported.delete(address);
      adoption.returned(cell, shard);
      return { outcome: outcomeOf(cell, 'loaded') };
    } finally {
      cell.pins--;
      dispatcher.tidy(cell);
    }
  }

  /**
   * Restarts the cell in the turn in which it has no write in progress, so that an input deferred later finds it
   * loading and waits. False if its shard is gone, whose cells are not loaded.
   */
  private async restart(cell: Cell): Promise<boolean> {
    const { registry, dispatcher, clock } = this.parts;
    for (let tries = 0; tries < SETTLE_TRIES_MAX; tries++) {
      if (cell.shard.serving === 'gone') return false;
      // A concurrent reload has restarted it: only wait for the result.
      if (cell.phase !== 'quarantined') return true;
      if (registry.cells.get(cell.address) !== cell)
        throw new Error(`${cell.address} was evicted meanwhile: try again`);
      if (cell.rows.unsettled === 0 && cell.pending === null) {
        registry.rewind(cell);
        dispatcher.reload(cell);
        return true;
      }
      await new Promise<void>((resolve) => clock.after(SETTLE_MS, resolve));
    }
    throw new Error(`${cell.address} still has uncommitted writes: try again`);
  }
}

function outcomeOf<O>(cell: Cell, present: O): O | 'absent' | 'not-served' {
  if (cell.shard.serving === 'gone') return 'not-served';
  return cell.snapshot === null ? 'absent' : present;
}

/** Resolves when the cell has loaded. Rejects if the store failed. */
function loaded(cell: Cell): Promise<void> {
  return new Promise((resolve, reject) => {
    cell.onLoaded.push((failure) => {
      if (failure === null) resolve();
      else if (failure.ok || failure.failure.code === 'moved') resolve();
      else reject(new Error('detail' in failure.failure ? failure.failure.detail : failure.failure.code));
    });
  });
}
