/**
 * Ends many holds without a settle: overdue ones, and those of a dead gateway. The work is cut into slices, because
 * every key involved takes a step in the same commit. A timer that is due at once continues with the rest.
 */
import { assignOn, type Effect, emitOn, type RowRef, type Stamped } from '../runtime/index.ts';
import { allRows, plain } from '../terms/chart-tools.ts';
import type { Generation } from '../terms/hold.ts';
import { add, subtract } from '../terms/usd.ts';
import { type AccountState, nextOf } from './account-state.ts';
import { freedInBudgets } from './budgets.ts';
import { ALL_RUNNING, released } from './generation.ts';
import { removeClaim } from './idempotency.ts';
import type { Tombstone } from './tombstone.ts';

/** Timer of the sweep. */
type HoldsSweep = Stamped & { readonly type: 'holds.sweep' };
/** A gateway's node is dead: its open holds will never be settled. */
type GatewayLost = Stamped & { readonly type: 'gateway.lost'; readonly incarnation: string };
export type SweepEvent = HoldsSweep | GatewayLost;

const SWEEP_TIMER = 'holds.sweep';
/** Bounds per step: a cascade has at most 16 steps, a commit a few megabytes. */
const KEYS_PER_SLICE = 8;
const HOLDS_PER_SLICE = 256;

/** The time of the next sweep, if one is due at `dueAt` at the latest. */
export function sweepBy({ nextSweepAt }: AccountState, dueAt: number): number {
  return nextSweepAt === null || dueAt < nextSweepAt ? dueAt : nextSweepAt;
}

/** One timer covers the earliest deadline; it is set when this deadline has just become the earliest. */
export function sweepAt({ nextSweepAt }: AccountState, dueAt: number): Effect[] {
  return nextSweepAt === dueAt ? [sweepTimer(dueAt)] : [];
}

function sweepTimer(at: number): Effect {
  return { type: 'schedule', name: SWEEP_TIMER, at, event: { type: SWEEP_TIMER } };
}

/** Frees holds that end without a charge. */
export function freed(state: AccountState, ended: readonly Generation[]): AccountState {
  const next = nextOf(state);
  next.held = subtract(state.held, sumOf(ended));
  next.holds = state.holds - ended.length;
  return freedInBudgets(next, ended);
}

/** Exact sum of the holds. */
export function sumOf(rows: readonly Generation[]): string {
  return rows.reduce((total, { amount }) => add(total, amount), '0');
}

interface Slice {
  readonly ended: readonly Generation[];
  readonly reason: string;
  readonly forgotten: readonly Tombstone[];
  /** Store time at which the rest is due; null when nothing remains. */
  readonly nextAt: number | null;
}

/** Overdue holds and tombstones, and the time at which the next one is due. */
function overdueSlice(event: HoldsSweep): Slice {
  const running = runningRows(event);
  const tombstones = allRows(event, 'tombstone').map((row) => row.body as unknown as Tombstone);
  const ended = firstSlice(running.filter((row) => row.deadlineAt <= event.at));
  const forgotten = tombstones.filter((row) => row.forgetAt <= event.at).slice(0, HOLDS_PER_SLICE);
  const gone = new Set<unknown>([...ended, ...forgotten]);
  let nextAt: number | null = null;
  for (const row of running) if (!gone.has(row)) nextAt = Math.min(nextAt ?? row.deadlineAt, row.deadlineAt);
  for (const row of tombstones) if (!gone.has(row)) nextAt = Math.min(nextAt ?? row.forgetAt, row.forgetAt);
  return { ended, reason: 'no outcome before its deadline', forgotten, nextAt };
}

/** The holds of one dead gateway. */
function orphanSlice(event: GatewayLost): Slice {
  const orphans = runningRows(event).filter((row) => row.gateway === event.incarnation);
  const ended = firstSlice(orphans);
  const nextAt = ended.length < orphans.length ? event.at : null;
  return { ended, reason: 'the gateway that served it was lost', forgotten: [], nextAt };
}

function runningRows(event: Stamped): readonly Generation[] {
  return allRows(event, 'generation').map((row) => row.body as unknown as Generation);
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

function sweep(state: AccountState, event: HoldsSweep): AccountState {
  const { ended, nextAt } = overdueSlice(event);
  const next = nextOf(freed(state, ended));
  next.nextSweepAt = nextAt;
  return next;
}

/** The slice's effects, and the timer for the rest. */
function recordSweep(_: AccountState, event: HoldsSweep): Effect[] {
  const slice = overdueSlice(event);
  const effects = sliceEffects(slice, event.at);
  return slice.nextAt === null ? effects : [...effects, sweepTimer(slice.nextAt)];
}

function loseGateway(state: AccountState, event: GatewayLost): AccountState {
  return freed(state, orphanSlice(event).ended);
}

function recordLost(_: AccountState, event: GatewayLost): Effect[] {
  const slice = orphanSlice(event);
  const effects = sliceEffects(slice, event.at);
  const { type, incarnation } = event;
  if (slice.nextAt === null) return effects;
  const name = `${type}.${incarnation}`;
  return [...effects, { type: 'schedule', name, at: slice.nextAt, event: { type, incarnation } }];
}

/** The rows, and one message per key with the freed amount and the number of ended holds. */
function sliceEffects({ ended, reason, forgotten }: Slice, at: number): Effect[] {
  const effects: Effect[] = [];
  for (const row of ended) {
    const { generation, attempt } = row;
    const release = { generation, attempt, reason, status: null, attempts: [] };
    effects.push({ type: 'put', collection: 'generation', id: generation, body: plain(released(row, release, at)) });
    effects.push(...removeClaim(row));
  }
  for (const { generation } of forgotten) effects.push({ type: 'remove', collection: 'tombstone', id: generation });
  for (const key of new Set(ended.map((row) => row.key))) {
    const closed = ended.filter((row) => row.key === key);
    const event = { type: 'hold.closed', amount: sumOf(closed), count: closed.length };
    effects.push({ type: 'send', to: key, event });
  }
  return effects;
}

export const rows = {
  'holds.sweep': (): readonly RowRef[] => [ALL_RUNNING, { as: 'tombstone', collection: 'tombstone', open: true }],
  'gateway.lost': (): readonly RowRef[] => [ALL_RUNNING],
};

export const actions = {
  sweep: assignOn('holds.sweep', sweep),
  recordSweep: emitOn('holds.sweep', recordSweep),
  loseGateway: assignOn('gateway.lost', loseGateway),
  recordLost: emitOn('gateway.lost', recordLost),
};
