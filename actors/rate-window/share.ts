/** Decisions and answers of a rate window. Pure. */
import type { Effect } from '../runtime/index.ts';
import { plain } from '../terms/only.ts';
import type { WindowReturn, WindowSlice, WindowTake } from './events.ts';
import { current, remainingMs, take, takenBy, type WindowTable } from './table.ts';

/** Parts into which what is left is cut for each node: small enough that an idle node hoards little. */
const PARTS_PER_NODE = 8;

/** Answer of `window.take`. */
export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  readonly resetInMs: number;
}

/** Answer of `window.slice`: 0 granted means the window is used up. Good for `resetInMs`, not longer. */
export interface SliceGrant {
  readonly granted: number;
  readonly windowStart: number;
  readonly resetInMs: number;
}

export function fits(table: WindowTable, { name, count, limit, windowMs, at }: WindowTake): boolean {
  return takenBy(current(table, windowMs, at), name) + count <= limit;
}

export function taken(table: WindowTable, { name, count, windowMs, at }: WindowTake): WindowTable {
  return take(current(table, windowMs, at), name, count);
}

/** How large the next slice is: an eighth of each node's even part of what is left, at least one while there is one. */
export function sliceOf(table: WindowTable, { name, limit, windowMs, nodes, at }: WindowSlice): number {
  const left = Math.max(0, limit - takenBy(current(table, windowMs, at), name));
  return Math.min(left, Math.max(1, Math.floor(left / (PARTS_PER_NODE * Math.max(1, nodes)))));
}

export function sliced(table: WindowTable, event: WindowSlice): WindowTable {
  return take(current(table, event.windowMs, event.at), event.name, sliceOf(table, event));
}

export function returned(table: WindowTable, { name, count, windowStart, at }: WindowReturn): WindowTable {
  const open = table.start === windowStart && remainingMs(table, at) > 0;
  return open && count > 0 ? take(table, name, -count) : table;
}

/** Behind the taking, or instead of it. */
export function answerTaken(table: WindowTable, event: WindowTake, granted: boolean): Effect {
  const { name, limit, windowMs, at } = event;
  const now = current(table, windowMs, at);
  const remaining = Math.max(0, limit - takenBy(now, name));
  return { type: 'reply', body: plain({ granted, remaining, resetInMs: remainingMs(now, at) } satisfies Taken) };
}

/** Ahead of the taking: the table still is the one the slice is cut from. */
export function answerSlice(table: WindowTable, event: WindowSlice): Effect {
  const now = current(table, event.windowMs, event.at);
  const resetInMs = remainingMs(now, event.at);
  const answer: SliceGrant = { granted: sliceOf(table, event), windowStart: now.start, resetInMs };
  return { type: 'reply', body: plain(answer) };
}
