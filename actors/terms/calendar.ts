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
