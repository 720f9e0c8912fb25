/**
 * What a key has spent, in all and in its current UTC day, week and month, and what its limit leaves. Sums only; a charge
 * counts in the windows of its settlement, an open hold in whichever is current (decision: a hold that straddles a reset).
 */
import { add, subtract } from '../terms/usd.ts';
import { type LimitWindow, windowStart } from './calendar.ts';

/** The window that was current at the last charge. What was spent in it is the total without `before`. */
export interface RollUp {
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
  // Days begin weeks and months: within one day nothing else has begun.
  if (daily.start === windowStart('daily', at)) return { total: add(total, cost), daily, weekly, monthly };
  return {
    total: add(total, cost),
    daily: current(daily, 'daily', total, at),
    weekly: current(weekly, 'weekly', total, at),
    monthly: current(monthly, 'monthly', total, at),
  };
}

/** Spent in the window that holds `at`; in all when there is no window. */
export function spentIn(spending: Spending, window: LimitWindow | null, at: number): string {
  if (window === null) return spending.total;
  const { start, before } = spending[window];
  return start === windowStart(window, at) ? subtract(spending.total, before) : '0';
}

/** What a limit leaves beside charges and open holds; may be negative. Null: no limit. */
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
