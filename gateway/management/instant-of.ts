const UNIX_SECONDS = /^\d{1,11}$/;
/** A sign of an offset that was not escaped in a query arrives as a space. */
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+ -])(\d\d):?(\d\d)))?$/i;
const MINUTE_MS = 60_000;

/**
 * A time as Unix seconds, a date (its first instant in UTC) or an ISO 8601 instant with its offset; in ms. Null for any
 * other text, dates that no calendar has included.
 */
export function instantOf(text: string): number | null {
  if (UNIX_SECONDS.test(text)) return Number(text) * 1_000;
  const found = ISO.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second, fraction, sign, hours, minutes] = found.map((part) => part ?? '0');
  const ms = Number((fraction as string).padEnd(3, '0').slice(0, 3));
  const date = [Number(year), Number(month) - 1, Number(day)] as const;
  const time = [Number(hour), Number(minute), Number(second)] as const;
  const at = Date.UTC(...date, ...time, ms);
  if (!sameFields(at, [...date, ...time]) || Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? at + offset : at - offset;
}

/** False where a field was out of range and carried over into the next. */
function sameFields(at: number, fields: readonly number[]): boolean {
  const date = new Date(at);
  const found = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  found.push(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds());
  return found.every((value, nth) => value === fields[nth]);
}
