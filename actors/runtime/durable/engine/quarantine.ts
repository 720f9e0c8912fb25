import type { Cell } from '../../actor/cascade/cell.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { QuarantinedActor, Reloaded } from '../engine.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Timers } from '../timers/timers.ts';
import type { Adoption } from './adoption.ts';

const SHOWN_MAX = 100;
/** How long a reload waits for the actor's own uncommitted writes: 100 tries, 20 ms apart. */
const SETTLE_TRIES_MAX = 100;
const SETTLE_MS = 20;

interface QuarantineParts {
  readonly registry: CellRegistry;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  readonly adoption: Adoption;
  readonly clock: Clock;
}

/**
 * Shows and reloads the actors whose stored state does not load. Each answers every input with its fault and is never
 * written. It is loaded again only when an operator asks for it or another build starts; there is no automatic repair.
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
      registry.tidy(cell);
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
        dispatcher.load(cell);
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
