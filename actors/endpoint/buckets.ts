/**
 * Observations in buckets of time, oldest first, at most `spanMs / bucketMs + 1` of them. An observation counts in the
 * bucket of its own time, also when it arrives late, so the order in which nodes report does not change a figure; one
 * older than the span before the newest bucket is dropped. Pure.
 */
export interface Ring {
  readonly bucketMs: number;
  readonly spanMs: number;
}

export interface TimeBucket {
  /** Store time, ms. */
  readonly start: number;
}

export interface Gathering<T, Bucket extends TimeBucket, Draft extends Bucket> {
  /** A mutable copy of a bucket, or an empty one. */
  readonly draft: (start: number, from: Bucket | undefined) => Draft;
  readonly count: (draft: Draft, observation: T) => void;
}

/** Counts each observation; one without a time, or with a later one, happened at `at`. Copies each changed bucket once. */
export function gather<T extends { readonly at?: number }, Bucket extends TimeBucket, Draft extends Bucket>(
  buckets: readonly Bucket[],
  observations: readonly T[],
  { at, ring, draft, count }: Gathering<T, Bucket, Draft> & { readonly at: number; readonly ring: Ring },
): readonly Bucket[] {
  if (observations.length === 0) return buckets;
  const drafts = new Map<number, Draft>();
  for (const observation of observations) {
    const happenedAt = Math.min(observation.at ?? at, at);
    const start = happenedAt - (happenedAt % ring.bucketMs);
    let changed = drafts.get(start);
    if (changed === undefined) {
      const before = buckets.find((bucket) => bucket.start === start);
      changed = draft(start, before);
      drafts.set(start, changed);
    }
    count(changed, observation);
  }
  const others = buckets.filter(({ start }) => !drafts.has(start));
  const merged = [...others, ...drafts.values()].sort((a, b) => a.start - b.start);
  return since(merged, (merged.at(-1) as Bucket).start, ring);
}

/** The buckets that overlap the span before `at`; `spanMs` may be a part of the ring's. */
export function since<Bucket extends TimeBucket>(
  buckets: readonly Bucket[],
  at: number,
  { bucketMs, spanMs }: Ring,
): readonly Bucket[] {
  return buckets.filter(({ start }) => start + bucketMs > at - spanMs);
}
