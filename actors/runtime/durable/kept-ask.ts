import type { Cell } from '../actor/cell.ts';
import { keptInput, mayBeKept } from '../actor/kept-input.ts';
import type { Mail } from '../actor/mail.ts';
import { Entry } from './entry.ts';
import { keptFor } from './failures.ts';
import type { HeldShard } from './held-shard.ts';

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * True for an ask that a quarantined actor may not refuse. Whoever asks waits for an answer until a deadline; what the
 * engine itself brings has none, and is told anew when the actor loads. A tell may be lost at any time.
 */
export function isKeptAsk(cell: Cell, { event, answer, deadline, firing, parcel }: Mail): boolean {
  if (answer === null || deadline === Number.POSITIVE_INFINITY || firing !== null || parcel !== null) return false;
  return mayBeKept(cell, event.type);
}

/** The entry that keeps it beside its actor, and answers it. */
export function keptAsk(
  cell: Cell,
  { event, answer }: Mail,
  { id, order, at }: { readonly id: string; readonly order: number; readonly at: number },
): Entry {
  const row = keptInput(cell, id, null, event, at);
  const outcome = { changes: NOTHING, rows: [row], timers: NOTHING, publishes: NOTHING, errands: false };
  const reply = keptFor(cell.address, cell.fault);
  const entry = new Entry(order, cell.home as HeldShard, outcome, answer, reply);
  cell.rows.apply(row, entry);
  return entry;
}
