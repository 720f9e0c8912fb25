/**
 * A key's spending, in total and in the current UTC day, week and month, and the rest of its limit. Sums only. A charge
 * counts in the windows of its settlement; an open hold counts in whichever window is current (decision: a hold that
 * straddles a reset).
 */
import { add, subtract } from './usd.ts';

/** The window that was current at the last charge. The amount spent in it is the total minus `before`. */
interface RollUp {
  /** Store time in ms at which the window began. */
  readonly start: number;
  /** Total spent before it began, exact decimal USD. */
  readonly before: string;
}

export interface Spending {
  readonly total: string;
  readonly daily: RollUp;
  readonly weekly: RollUp;
  readonly monthly: RollUp;
}

const UNSPENT: RollUp = { start: 0, before: '0' };
export const NOTHING_SPENT: Spending = { total: '0', daily: UNSPENT, weekly: UNSPENT, monthly: UNSPENT };

export function spend(spending: Spending, cost: string, at: number): Spending {
  const { total, daily, weekly, monthly } = spending;
  // Weeks and months begin on day boundaries: within one day no other window has changed.
  if (daily.start === windowStart('daily', at)) return { total: add(total, cost), daily, weekly, monthly };
  return {
    total: add(total, cost),
    daily: current(daily, 'daily', total, at),
    weekly: current(weekly, 'weekly', total, at),
    monthly: current(monthly, 'monthly', total, at),
  };
}

/** The amount spent in the window containing `at`; the total when `window` is null. */
export function spentIn(spending: Spending, window: LimitWindow | null, at: number): string {
  if (window === null) return spending.total;
  const { start, before } = spending[window];
  return start === windowStart(window, at) ? subtract(spending.total, before) : '0';
}

/** The rest of a limit after charges and open holds; may be negative. Null: no limit. */
export function roomOf(
  key: {
    readonly limit: string | null;
    readonly limitWindow: LimitWindow | null;
    readonly spending: Spending;
    readonly held: string;
  },
  at: number,
): string | null {
  if (key.limit === null) return null;
  return subtract(subtract(key.limit, spentIn(key.spending, key.limitWindow, at)), key.held);
}

function current(rollUp: RollUp, window: LimitWindow, total: string, at: number): RollUp {
  const start = windowStart(window, at);
  return rollUp.start === start ? rollUp : { start, before: total };
}

/** Windows of a key's limit and of its reports, in UTC; weeks begin on Monday. Pure: the time is an argument. */
export type LimitWindow = 'daily' | 'weekly' | 'monthly';

const DAY_MS = 86_400_000;
/** The epoch was a Thursday: three days of its week had passed. */
const DAYS_BEFORE_EPOCH_IN_WEEK = 3;

/** Store time in ms at which the window containing `at` began. */
export function windowStart(window: LimitWindow, at: number): number {
  const day = Math.floor(at / DAY_MS);
  if (window === 'daily') return day * DAY_MS;
  if (window === 'weekly') return (day - ((((day + DAYS_BEFORE_EPOCH_IN_WEEK) % 7) + 7) % 7)) * DAY_MS;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Store time in ms at which the next window begins. */
export function windowEnd(window: LimitWindow, at: number): number {
  const start = windowStart(window, at);
  if (window === 'daily') return start + DAY_MS;
  if (window === 'weekly') return start + 7 * DAY_MS;
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
