/**
 * Fixed windows of several names in one bounded table. All begin together, aligned to the window's length, so a new
 * window is an empty table. Names beyond the bound share one count, so they are refused earlier, never later.
 */
export const NAMES_MAX = 64;

export interface WindowTable {
  readonly windowMs: number;
  /** Store time in ms at which the window began. */
  readonly start: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly names: number;
  /** Requests taken by names beyond the bound. */
  readonly crowd: number;
  /** Accounts and client addresses that requested slices in this window, and in the one before; two of each suffice. */
  readonly askers: readonly string[];
  readonly askersBefore: readonly string[];
}

/** Two askers are enough to know that several compete. */
export const ASKERS_MAX = 2;

export const EMPTY_TABLE: WindowTable = {
  windowMs: 0,
  start: 0,
  counts: {},
  names: 0,
  crowd: 0,
  askers: [],
  askersBefore: [],
};

/** The table of the window containing `at`. */
export function current(table: WindowTable, windowMs: number, at: number): WindowTable {
  if (!Number.isInteger(windowMs) || windowMs < 1)
    throw new RangeError('the length of a window must be a whole number of milliseconds, at least 1');
  const start = at - (at % windowMs);
  if (table.windowMs === windowMs && table.start === start) return table;
  const follows = table.windowMs === windowMs && table.start + windowMs === start;
  return { ...EMPTY_TABLE, windowMs, start, askersBefore: follows ? table.askers : [] };
}

/** Notes the askers, up to the bound. */
export function noteAskers(table: WindowTable, names: readonly string[] = []): WindowTable {
  const askers = [...new Set([...table.askers, ...names])].slice(0, ASKERS_MAX);
  return askers.length === table.askers.length ? table : { ...table, askers };
}

/** True if several asked in this window or the one before. */
export function isContended({ askers, askersBefore }: WindowTable): boolean {
  return new Set([...askers, ...askersBefore]).size > 1;
}

export function takenBy(table: WindowTable, name: string): number {
  if (Object.hasOwn(table.counts, name)) return table.counts[name] ?? 0;
  return table.names < NAMES_MAX ? 0 : table.crowd;
}

/** Adds `count` to a name; a negative count returns requests, never below zero. */
export function take(table: WindowTable, name: string, count: number): WindowTable {
  const taken = Math.max(0, takenBy(table, name) + count);
  if (Object.hasOwn(table.counts, name)) return { ...table, counts: { ...table.counts, [name]: taken } };
  if (table.names >= NAMES_MAX) return { ...table, crowd: taken };
  return { ...table, names: table.names + 1, counts: { ...table.counts, [name]: taken } };
}

export function remainingMs(table: WindowTable, at: number): number {
  return table.start + table.windowMs - at;
}
