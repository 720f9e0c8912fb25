/** Successes and errors of the last seven days in buckets of four hours, at most 43. Pure. (rule C33) */
import { gather, type Ring, since } from './buckets.ts';

const WEEK: Ring = { bucketMs: 4 * 60 * 60_000, spanMs: 7 * 24 * 60 * 60_000 };

export interface WeekBucket {
  /** Store time, ms. */
  readonly start: number;
  readonly success: number;
  readonly error: number;
}

/** The part of an attempt that is counted; without a time it happened at the time of its message. */
export interface CountedAttempt {
  readonly at?: number;
  readonly outcome: 'success' | 'error' | 'other';
}

/** Adds each success and error to the bucket of its time. */
export function countWeek(
  buckets: readonly WeekBucket[],
  attempts: readonly CountedAttempt[],
  at: number,
): readonly WeekBucket[] {
  const counted = attempts.filter(({ outcome }) => outcome !== 'other');
  return gather<CountedAttempt, WeekBucket, { start: number; success: number; error: number }>(buckets, counted, {
    at,
    ring: WEEK,
    draft: (start, from) => ({ success: 0, error: 0, ...from, start }),
    count: (bucket, { outcome }) => {
      if (outcome !== 'other') bucket[outcome]++;
    },
  });
}

/** Buckets that overlap the week before `at`. */
export function weekOf(buckets: readonly WeekBucket[], at: number): readonly WeekBucket[] {
  return since(buckets, at, WEEK);
}
