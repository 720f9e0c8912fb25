const HOUR_MS = 3_600_000;
const LIFE_HOURS = 50;

/** The hours of sealing keys (rule B46, rule B49). */
export const keyHour = {
  ms: HOUR_MS,
  at: (now: number): number => Math.floor(now / HOUR_MS),
  /** A key is over exactly 50 h after its hour began. */
  isOver: (hour: number, now: number): boolean => now >= (hour + LIFE_HOURS) * HOUR_MS,
  /** The latest hour whose key is over. */
  lastOver: (now: number): number => Math.floor(now / HOUR_MS) - LIFE_HOURS,
};
