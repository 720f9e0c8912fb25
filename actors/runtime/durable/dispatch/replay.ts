import type { Cell } from '../../actor/cascade/cell.ts';
import { deferredInputs, FAILURES_MAX } from '../../actor/cascade/dead-letter.ts';
import type { Firing } from '../../actor/cascade/mailbox.ts';
import { systemCollections } from '../../actor/cascade/row-writes.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineHost } from '../engine.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Shard } from '../shard.ts';

const RETRY_MS = 1_000;

interface ReplayParts {
  readonly registry: CellRegistry;
  readonly clock: Clock;
  readonly host: Pick<EngineHost, 'log'>;
  readonly lanes: {
    /** Puts an input before all others in the actor's mailbox; false if it is full. */
    enqueue(shard: Shard, address: string, event: ActorEvent, firing: Firing): boolean;
  };
}

/**
 * Replays the inputs that were deferred while an actor was quarantined, as soon as it loads: before all mail in its
 * mailbox, in the order of arrival, each exactly once, because the entry of the step removes the row. An input that
 * fails FAILURES_MAX times stays in its row.
 */
export class Replay {
  private readonly parts: ReplayParts;

  constructor(parts: ReplayParts) {
    this.parts = parts;
  }

  /** Called when the cell has loaded. */
  start(cell: Cell): void {
    if (cell.rows.isEmpty(systemCollections.deadLetters.name)) return;
    for (const { id, event } of deferredInputs(cell)) this.deliver(cell, id, event, 0);
  }

  private deliver(cell: Cell, id: string, event: ActorEvent, failures: number): void {
    const { registry, lanes, clock, host } = this.parts;
    const { rows, address } = cell;
    const shard = cell.shard as Shard;
    // A rewound cell has new rows, and its inputs are replayed again; those of an evicted cell when it is loaded again.
    const current = (): boolean =>
      shard.serving !== 'gone' &&
      registry.cells.get(address) === cell &&
      cell.rows === rows &&
      rows.find(systemCollections.deadLetters.name, id)?.latest.open === true;
    const again = (times: number): void => {
      clock.after(RETRY_MS * Math.max(1, times), () => {
        if (current()) this.deliver(cell, id, event, times);
      });
    };
    const failed = (detail: string): void => {
      const giveUp = failures + 1 >= FAILURES_MAX;
      const message = giveUp ? 'a deferred input failed too often and stays a dead letter' : 'a deferred input failed';
      host.log({ level: giveUp ? 'error' : 'warn', message, address, input: id, event: event.type, detail });
      if (!giveUp) again(failures + 1);
    };
    const firing: Firing = { name: id, deferred: id, last: false, current, failed, postponed: () => again(failures) };
    if (!lanes.enqueue(shard, address, event, firing)) again(failures);
  }
}
