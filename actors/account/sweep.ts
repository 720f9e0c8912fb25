/**
 * Ends many holds without a settle: overdue ones, and those of a dead gateway. The work is cut into slices, because
 * every key involved takes a step in the same commit. A timer that is due at once continues with the rest.
 */
import type { Effect } from '../runtime/index.ts';
import type { Generation } from '../terms/hold.ts';
import { plain } from '../terms/only.ts';
import { allRows } from '../terms/row.ts';
import { add } from '../terms/usd.ts';
import { SWEEP_TIMER } from './effects.ts';
import type { GatewayLost, HoldsSweep } from './events.ts';
import { released } from './generation.ts';
import { removeClaim } from './idempotency.ts';
import type { Tombstone } from './tombstone.ts';

/** Bounds per step: a cascade has at most 16 steps, a commit a few megabytes. */
const KEYS_PER_SLICE = 8;
const HOLDS_PER_SLICE = 256;

export interface SweepSlice {
  readonly ended: readonly Generation[];
  /** Exact sum of the ended holds. */
  readonly amount: string;
  readonly reason: string;
  readonly forgotten: readonly Tombstone[];
  /** Store time at which the rest is due; null when nothing remains. */
  readonly nextAt: number | null;
}

/** Overdue holds and tombstones, and the time at which the next one is due. */
export function overdueSlice(event: HoldsSweep): SweepSlice {
  const running = allRows(event, 'generation').map((row) => row.body as unknown as Generation);
  const tombstones = allRows(event, 'tombstone').map((row) => row.body as unknown as Tombstone);
  const overdue = running.filter((row) => row.deadlineAt <= event.at);
  const ended = firstSlice(overdue);
  const forgotten = tombstones.filter((row) => row.forgetAt <= event.at).slice(0, HOLDS_PER_SLICE);
  const gone = new Set<unknown>([...ended, ...forgotten]);
  let nextAt: number | null = null;
  for (const row of running) if (!gone.has(row)) nextAt = Math.min(nextAt ?? row.deadlineAt, row.deadlineAt);
  for (const row of tombstones) if (!gone.has(row)) nextAt = Math.min(nextAt ?? row.forgetAt, row.forgetAt);
  return { ended, amount: sum(ended), reason: 'no outcome before its deadline', forgotten, nextAt };
}

/** The holds of one dead gateway. */
export function orphanSlice(event: GatewayLost): SweepSlice {
  const orphans = allRows(event, 'generation')
    .map((row) => row.body as unknown as Generation)
    .filter((row) => row.gateway === event.incarnation);
  const ended = firstSlice(orphans);
  const nextAt = ended.length < orphans.length ? event.at : null;
  return { ended, amount: sum(ended), reason: 'the gateway that served it was lost', forgotten: [], nextAt };
}

/** The slice's effects, and the timer for the rest. */
export function recordSweep(event: HoldsSweep): Effect[] {
  const slice = overdueSlice(event);
  const effects = sliceEffects(slice, event.at);
  if (slice.nextAt !== null) {
    effects.push({ type: 'schedule', name: SWEEP_TIMER, at: slice.nextAt, event: { type: SWEEP_TIMER } });
  }
  return effects;
}

export function recordLost(event: GatewayLost): Effect[] {
  const slice = orphanSlice(event);
  const effects = sliceEffects(slice, event.at);
  if (slice.nextAt !== null) {
    const again = { type: event.type, incarnation: event.incarnation };
    effects.push({ type: 'schedule', name: `${event.type}.${event.incarnation}`, at: slice.nextAt, event: again });
  }
  return effects;
}

/** The rows, and one message per key with the freed amount and the number of ended holds. */
function sliceEffects(slice: SweepSlice, at: number): Effect[] {
  const effects: Effect[] = [];
  const perKey = new Map<string, { amount: string; count: number }>();
  for (const row of slice.ended) {
    const release = {
      generation: row.generation,
      attempt: row.attempt,
      reason: slice.reason,
      status: null,
      attempts: [],
    };
    effects.push({
      type: 'put',
      collection: 'generation',
      id: row.generation,
      body: plain(released(row, release, at)),
    });
    effects.push(...removeClaim(row));
    const before = perKey.get(row.key) ?? { amount: '0', count: 0 };
    perKey.set(row.key, { amount: add(before.amount, row.amount), count: before.count + 1 });
  }
  for (const tombstone of slice.forgotten) {
    effects.push({ type: 'remove', collection: 'tombstone', id: tombstone.generation });
  }
  for (const [key, { amount, count }] of perKey) {
    effects.push({ type: 'send', to: key, event: { type: 'hold.closed', amount, count } });
  }
  return effects;
}

/** As many holds as fit into one step, earliest deadline first. */
function firstSlice(rows: readonly Generation[]): readonly Generation[] {
  const keys = new Set<string>();
  const slice: Generation[] = [];
  for (const row of [...rows].sort((a, b) => a.deadlineAt - b.deadlineAt)) {
    if (slice.length === HOLDS_PER_SLICE) break;
    if (!keys.has(row.key) && keys.size === KEYS_PER_SLICE) continue;
    keys.add(row.key);
    slice.push(row);
  }
  return slice;
}

function sum(rows: readonly Generation[]): string {
  return rows.reduce((total, row) => add(total, row.amount), '0');
}
