import type { PriceOverride, Weekday } from '../../actors/terms/tariff.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** 1970-01-01 was a Thursday. */
const DAYS: readonly Weekday[] = ['thursday', 'friday', 'saturday', 'sunday', 'monday', 'tuesday', 'wednesday'];

/** True for an entry that applies at certain times only. */
export function isTimed({ utcStart, utcEnd, utcDays }: PriceOverride): boolean {
  return utcStart !== undefined || utcEnd !== undefined || utcDays !== undefined;
}

/**
 * True when an entry's clock window is open at this instant (ms since the epoch, UTC). The end is exclusive; a window
 * that ends before or when it starts wraps midnight; a missing end is midnight. The weekday is a separate condition on
 * the instant, even in the part of a window after midnight. (rule C22)
 */
export function isOpen({ utcStart, utcEnd, utcDays }: PriceOverride, at: number): boolean {
  const minutes = Math.floor(at / MINUTE_MS);
  const day = DAYS[Math.floor(minutes / DAY_MINUTES) % DAYS.length] as Weekday;
  if (utcDays !== undefined && !utcDays.includes(day)) return false;
  if (utcStart === undefined && utcEnd === undefined) return true;
  const now = minutes % DAY_MINUTES;
  const start = minutesOf(utcStart ?? 0);
  const end = utcEnd === undefined ? DAY_MINUTES : minutesOf(utcEnd);
  return start < end ? now >= start && now < end : now >= start || now < end;
}

/** Parses HHMM as an integer: 1630 is 16:30, 2400 the end of the day. */
function minutesOf(clock: number): number {
  return Math.floor(clock / 100) * 60 + (clock % 100);
}
