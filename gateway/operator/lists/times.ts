/** Days and times in queries of lists. */
import { isInvalid } from '../http/operator-route.ts';

export const DAY_MS = 24 * 3_600_000;

/** Store time at which the UTC day `YYYY-MM-DD` begins. Throws 400. */
export function dayStart(day: string, member: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at)) throw isInvalid(member, 'must be a UTC day, YYYY-MM-DD');
  return at;
}

/** Store time of a time in ms, or of a date and time in ISO 8601. Throws 400. */
function timeFrom(text: string, member: string): number {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(at)) throw isInvalid(member, 'must be a time, in ms or as 2026-01-31T12:00:00Z');
  return at;
}

interface SpanQuery {
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The first time of the span, and the first behind it; undefined without a bound. Throws 400. */
export function spanOf({ day, from, to }: SpanQuery): {
  readonly from: number | undefined;
  readonly to: number | undefined;
} {
  if (day !== undefined) {
    const start = dayStart(day, 'day');
    return { from: start, to: start + DAY_MS };
  }
  return {
    from: from === undefined ? undefined : timeFrom(from, 'from'),
    to: to === undefined ? undefined : timeFrom(to, 'to'),
  };
}
