/**
 * Successes and errors of the last seven days in buckets of four hours, at most 43. Pure: each attempt has its time.
 * (spec: catalogue, `uptime_last_7d`)
 */
const BUCKET_MS = 4 * 60 * 60_000;
const WEEK_MS = 42 * BUCKET_MS;

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

/** Adds each success and error to the bucket of its time; one older than the newest bucket counts in the newest. */
export function countWeek(
  buckets: readonly WeekBucket[],
  attempts: readonly CountedAttempt[],
  at: number,
): readonly WeekBucket[] {
  let kept = buckets;
  for (const { outcome, at: happenedAt = at } of attempts) {
    if (outcome !== 'other') kept = counted(kept, outcome, Math.min(happenedAt, at));
  }
  return kept;
}

/** Buckets that overlap the week before `at`. */
export function weekOf(buckets: readonly WeekBucket[], at: number): readonly WeekBucket[] {
  return buckets.filter(({ start }) => start + BUCKET_MS > at - WEEK_MS);
}

function counted(buckets: readonly WeekBucket[], outcome: 'success' | 'error', at: number): readonly WeekBucket[] {
  const start = at - (at % BUCKET_MS);
  const last = buckets.at(-1);
  if (last !== undefined && last.start >= start) {
    return [...buckets.slice(0, -1), { ...last, [outcome]: last[outcome] + 1 }];
  }
  const first: WeekBucket = { start, success: 0, error: 0 };
  return [...weekOf(buckets, start), { ...first, [outcome]: 1 }];
}
