import type { Cell } from '../../actor/cell.ts';
import { deferredInput, mayBeDeferred } from '../../actor/deferred-input.ts';
import type { Mail } from '../../actor/mail.ts';
import { Entry } from '../commit/entry.ts';
import { deferredFor } from '../engine/failures.ts';
import type { Shard } from '../engine/shard.ts';

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * True for an ask that a quarantined actor must not refuse. Only asks with a deadline qualify: inputs from the engine
 * have none and are delivered again when the actor loads, and tells may be lost at any time.
 */
export function isDeferredAsk(cell: Cell, { event, answer, deadline, firing, systemMessage }: Mail): boolean {
  if (answer === null || deadline === Number.POSITIVE_INFINITY || firing !== null || systemMessage !== null)
    return false;
  return mayBeDeferred(cell, event.type);
}

/** The entry that stores the ask as a deferred input of its actor, and answers it. */
export function deferredAskEntry(
  cell: Cell,
  { event, answer }: Mail,
  { id, order, at }: { readonly id: string; readonly order: number; readonly at: number },
): Entry {
  const row = deferredInput(cell, id, null, event, at);
  const outcome = { changes: NOTHING, rows: [row], timers: NOTHING, publishes: NOTHING, outgoing: false };
  const reply = deferredFor(cell.address, cell.fault);
  const entry = new Entry(order, cell.shard as Shard, outcome, answer, reply);
  cell.rows.apply(row, entry);
  return entry;
}
