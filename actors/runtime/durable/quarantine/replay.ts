import type { Cell } from '../../actor/cell.ts';
import { DEAD_LETTERS, deferredInputs } from '../../actor/deferred-input.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { Firing } from '../../actor/mail.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Shard } from '../engine/shard.ts';

const FAILURES_MAX = 5;
const RETRY_MS = 1_000;

export interface ReplayParts {
  readonly clock: Clock;
  readonly host: EngineHost;
  /** False for a cell that left memory: whoever loads the actor anew is told anew. */
  readonly isHere: (cell: Cell) => boolean;
  /** Puts an input before all that waits for its actor; false when there is no room. */
  readonly tell: (shard: Shard, address: string, event: ActorEvent, firing: Firing) => boolean;
}

/**
 * Steps what was kept for an actor while it was quarantined, as soon as it loads: before anything that waits in its
 * mailbox, in the order of keeping, each exactly once, since its row goes in the entry of its step. One that fails too
 * often stays in its row.
 */
export class Replay {
  private readonly parts: ReplayParts;

  constructor(parts: ReplayParts) {
    this.parts = parts;
  }

  /** The cell has just been loaded. */
  start(cell: Cell): void {
    if (cell.rows.isEmpty(DEAD_LETTERS.name)) return;
    for (const { id, event } of deferredInputs(cell)) this.tell(cell, id, event, 0);
  }

  private tell(cell: Cell, id: string, event: ActorEvent, failures: number): void {
    const { tell, isHere, clock, host } = this.parts;
    const { rows, address } = cell;
    const shard = cell.shard as Shard;
    // A cell that was rewound has other rows, and is told anew.
    const current = (): boolean =>
      shard.serving !== 'gone' &&
      isHere(cell) &&
      cell.rows === rows &&
      rows.find(DEAD_LETTERS.name, id)?.latest.open === true;
    const again = (times: number): void => {
      clock.after(RETRY_MS * Math.max(1, times), () => {
        if (current()) this.tell(cell, id, event, times);
      });
    };
    const failed = (detail: string): void => {
      const giveUp = failures + 1 >= FAILURES_MAX;
      const message = giveUp ? 'a kept input failed too often and stays aside' : 'a kept input failed';
      host.log({ level: giveUp ? 'error' : 'warn', message, address, input: id, event: event.type, detail });
      if (!giveUp) again(failures + 1);
    };
    const firing: Firing = { name: id, deferred: id, last: false, current, failed, postponed: () => again(failures) };
    if (!tell(shard, address, event, firing)) again(failures);
  }
}
