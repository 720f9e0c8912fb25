/** Events, decisions and answers of a rate window. Pure. `name` identifies the window; times are milliseconds. */
import type { Effect, Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { current, isContended, noteAskers, remainingMs, take, takenBy, type WindowTable } from './table.ts';

/** Each node's even part of the rest is cut into this many slices: small, so that an idle node holds back little. */
const PARTS_PER_NODE = 8;

/** Answer of `window.take`. */
export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  readonly resetInMs: number;
}

/** Answer of `window.slice`; granted 0 means that the window is used up. Valid for `resetInMs`. */
export interface SliceGrant {
  readonly granted: number;
  readonly windowStart: number;
  readonly resetInMs: number;
  /** True if several accounts or client addresses ask. */
  readonly contended: boolean;
}

export function fits(table: WindowTable, { name, count, limit, windowMs, at }: WindowTake): boolean {
  return takenBy(current(table, windowMs, at), name) + count <= limit;
}

export function taken(table: WindowTable, { name, count, windowMs, at }: WindowTake): WindowTable {
  return take(current(table, windowMs, at), name, count);
}

/** Size of the next slice: an eighth of each node's even part of the rest, at least one while any is left. */
function sliceOf(table: WindowTable, { name, limit, windowMs, nodes, at }: WindowSlice): number {
  const left = Math.max(0, limit - takenBy(current(table, windowMs, at), name));
  return Math.min(left, Math.max(1, Math.floor(left / (PARTS_PER_NODE * Math.max(1, nodes)))));
}

export function sliced(table: WindowTable, event: WindowSlice): WindowTable {
  const taken = take(current(table, event.windowMs, event.at), event.name, sliceOf(table, event));
  return noteAskers(taken, event.askers);
}

export function returned(table: WindowTable, { name, count, windowStart, askers, at }: WindowReturn): WindowTable {
  if (table.start !== windowStart || remainingMs(table, at) <= 0) return table;
  return noteAskers(count > 0 ? take(table, name, -count) : table, askers);
}

/** The answer to a take, computed after the take was applied or refused. */
export function answerTaken(table: WindowTable, event: WindowTake, { granted }: { readonly granted: boolean }): Effect {
  const { name, limit, windowMs, at } = event;
  const now = current(table, windowMs, at);
  const remaining = Math.max(0, limit - takenBy(now, name));
  return { type: 'reply', body: plain({ granted, remaining, resetInMs: remainingMs(now, at) } satisfies Taken) };
}

/** The answer to a slice, computed before the slice is applied to the table. */
export function answerSlice(table: WindowTable, event: WindowSlice): Effect {
  const now = current(table, event.windowMs, event.at);
  const resetInMs = remainingMs(now, event.at);
  const contended = isContended(noteAskers(now, event.askers));
  const answer: SliceGrant = { granted: sliceOf(table, event), windowStart: now.start, resetInMs, contended };
  return { type: 'reply', body: plain(answer) };
}

/** Takes `count` requests if they fit under `limit`, else none. */
type WindowTake = Stamped & {
  readonly type: 'window.take';
  readonly name: string;
  readonly count: number;
  readonly limit: number;
  readonly windowMs: number;
};

/** Takes a slice that one of `nodes` gateways distributes itself. `askers`: see `WindowTable`. */
type WindowSlice = Stamped & {
  readonly type: 'window.slice';
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly nodes: number;
  readonly askers?: readonly string[];
};

/**
 * Returns the rest of a slice, 0 or more, or reports further askers. Ignored once the window it was taken from has
 * ended.
 */
type WindowReturn = Stamped & {
  readonly type: 'window.return';
  readonly name: string;
  readonly count: number;
  readonly windowStart: number;
  readonly askers?: readonly string[];
};

export type WindowEvent = WindowTake | WindowSlice | WindowReturn;
