/**
 * Fixed windows of several names in one bounded table: all of them begin together, aligned to the window's length, so a
 * new window is an empty table. Names beyond the bound share one count, which refuses sooner, never later.
 */
export const NAMES_MAX = 64;

export interface WindowTable {
  readonly windowMs: number;
  /** Store time in ms at which the window began. */
  readonly start: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly names: number;
  /** Taken by names that found no room. */
  readonly crowd: number;
}

export const EMPTY_TABLE: WindowTable = { windowMs: 0, start: 0, counts: {}, names: 0, crowd: 0 };

/** The table of the window that holds `at`. */
export function current(table: WindowTable, windowMs: number, at: number): WindowTable {
  if (!Number.isInteger(windowMs) || windowMs < 1) throw new RangeError('a window has a length in whole milliseconds');
  const start = at - (at % windowMs);
  return table.windowMs === windowMs && table.start === start ? table : { ...EMPTY_TABLE, windowMs, start };
}

export function takenBy(table: WindowTable, name: string): number {
  if (Object.hasOwn(table.counts, name)) return table.counts[name] ?? 0;
  return table.names < NAMES_MAX ? 0 : table.crowd;
}

/** `count` more for a name; negative gives back, never below zero. */
export function take(table: WindowTable, name: string, count: number): WindowTable {
  const taken = Math.max(0, takenBy(table, name) + count);
  if (Object.hasOwn(table.counts, name)) return { ...table, counts: { ...table.counts, [name]: taken } };
  if (table.names >= NAMES_MAX) return { ...table, crowd: taken };
  return { ...table, names: table.names + 1, counts: { ...table.counts, [name]: taken } };
}

export function remainingMs(table: WindowTable, at: number): number {
  return table.start + table.windowMs - at;
}
