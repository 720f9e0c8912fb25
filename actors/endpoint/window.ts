/**
 * Measurements of one endpoint in mergeable buckets: minutes for the last half hour, half hours for the last day, and
 * counts alone for the last week. Expired buckets are dropped when a new one begins, so there are at most 31 + 49 + 43.
 * Pure: each observation has its time.
 */
import type { Measured } from '../terms/endpoint.ts';
import { type Histogram, type HistogramDraft, percentiles, record, samplesIn } from './histogram.ts';
import { type CountedAttempt, countWeek, type WeekBucket, weekOf } from './week.ts';

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const DAY_MS = 48 * HALF_HOUR_MS;

/** Sample minimums of the catalogue (spec: catalogue, Model endpoint object). */
const UPTIME_SAMPLES_MIN = 10;
const PERCENTILE_SAMPLES_MIN = 5;
const THROUGHPUT_TOKENS_MIN = 16;

export interface Bucket {
  /** Store time, ms. */
  readonly start: number;
  readonly success: number;
  readonly error: number;
  /** Seconds to the first token; completion tokens per second. */
  readonly ttft: Histogram;
  readonly throughput: Histogram;
  /** Seconds of a whole success, streamed or not; absent in a bucket that an earlier build began. */
  readonly response?: Histogram;
}

export interface Windows {
  /** Oldest first. */
  readonly minutes: readonly Bucket[];
  readonly halfHours: readonly Bucket[];
  /** Absent in the state of an earlier build. */
  readonly week?: readonly WeekBucket[];
}

/** The result of one upstream attempt. Times in ms; `other` (refused for its content, or aborted) is not counted. */
export interface ObservedAttempt extends CountedAttempt {
  /** A short tag of the account behind it; absent from an earlier build. */
  readonly by?: string;
  readonly ttftMs?: number;
  readonly completionTokens?: number;
  readonly durationMs?: number;
  readonly streamed: boolean;
  /**
   * Whether a demanded tool call was made. Absent when none was demanded, or when the end of the answer does not tell.
   */
  readonly toolAsk?: 'kept' | 'broken';
}

export const NO_WINDOWS: Windows = { minutes: [], halfHours: [], week: [] };

/** Adds each attempt to the bucket of its time; an attempt older than the newest bucket counts in the newest. */
export function measure(windows: Windows, attempts: readonly ObservedAttempt[], at: number): Windows {
  return {
    minutes: gather(windows.minutes, attempts, { at, bucketMs: MINUTE_MS, spanMs: HALF_HOUR_MS }),
    halfHours: gather(windows.halfHours, attempts, { at, bucketMs: HALF_HOUR_MS, spanMs: DAY_MS }),
    week: countWeek(windows.week ?? [], attempts, at),
  };
}

/** The figures at `at`; null below their sample minimums. */
export function figures(windows: Windows, at: number): Measured {
  const last5m = since(windows.minutes, at - 5 * MINUTE_MS, MINUTE_MS);
  const last30m = since(windows.minutes, at - HALF_HOUR_MS, MINUTE_MS);
  const last1d = since(windows.halfHours, at - DAY_MS, HALF_HOUR_MS);
  const throughput = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: true };
  const seconds = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: false };
  return {
    uptime5m: uptime(last5m),
    uptime30m: uptime(last30m),
    uptime1d: uptime(last1d),
    uptime7d: uptime(weekOf(windows.week ?? [], at)),
    uptime5mSamples: counted(last5m),
    uptime30mSamples: counted(last30m),
    uptime1dSamples: counted(last1d),
    ttft30m: percentiles(last30m.map(ttftOf), seconds),
    ttft1d: percentiles(last1d.map(ttftOf), seconds),
    ttft30mSamples: samplesIn(last30m.map(ttftOf)),
    response30m: percentiles(last30m.map(responseOf), seconds),
    response1d: percentiles(last1d.map(responseOf), seconds),
    throughput30m: percentiles(last30m.map(throughputOf), throughput),
    throughput1d: percentiles(last1d.map(throughputOf), throughput),
    throughput30mSamples: samplesIn(last30m.map(throughputOf)),
    throughput1dSamples: samplesIn(last1d.map(throughputOf)),
  };
}

interface Draft {
  readonly start: number;
  success: number;
  error: number;
  readonly ttft: HistogramDraft;
  readonly throughput: HistogramDraft;
  readonly response: HistogramDraft;
}

/** Copies each changed bucket once, however many attempts it receives. */
function gather(
  buckets: readonly Bucket[],
  attempts: readonly ObservedAttempt[],
  { at, bucketMs, spanMs }: { readonly at: number; readonly bucketMs: number; readonly spanMs: number },
): readonly Bucket[] {
  let kept = [...buckets];
  let draft: Draft | null = null;
  for (const attempt of attempts) {
    const happenedAt = Math.min(attempt.at ?? at, at);
    const start = happenedAt - (happenedAt % bucketMs);
    if (draft === null || start > draft.start) {
      if (draft !== null) kept.push(draft);
      const last = kept.at(-1);
      if (last !== undefined && last.start >= start) {
        draft = {
          ...last,
          ttft: { ...last.ttft },
          throughput: { ...last.throughput },
          response: { ...last.response },
        };
        kept.pop();
      } else {
        draft = { start, success: 0, error: 0, ttft: {}, throughput: {}, response: {} };
        kept = kept.filter((bucket) => bucket.start + bucketMs > start - spanMs);
      }
    }
    count(draft, attempt);
  }
  if (draft !== null) kept.push(draft);
  return kept;
}

function count(draft: Draft, attempt: ObservedAttempt): void {
  const { outcome, ttftMs, durationMs, streamed } = attempt;
  if (outcome === 'success') draft.success++;
  if (outcome === 'error') draft.error++;
  if (streamed && ttftMs !== undefined) record(draft.ttft, ttftMs / 1000);
  if (outcome === 'success' && durationMs !== undefined) record(draft.response, durationMs / 1000);
  const speed = speedOf(attempt);
  if (speed !== null) record(draft.throughput, speed);
}

/**
 * Completion tokens per second over the whole time of a streamed success; null when the attempt has too little data.
 */
function speedOf({ outcome, streamed, completionTokens, durationMs }: ObservedAttempt): number | null {
  if (outcome !== 'success' || !streamed || completionTokens === undefined || durationMs === undefined) return null;
  return completionTokens >= THROUGHPUT_TOKENS_MIN && durationMs > 0 ? (completionTokens * 1000) / durationMs : null;
}

/** Buckets that overlap the window. */
function since(buckets: readonly Bucket[], from: number, bucketMs: number): readonly Bucket[] {
  return buckets.filter((bucket) => bucket.start + bucketMs > from);
}

function uptime(buckets: readonly WeekBucket[]): number | null {
  const samples = counted(buckets);
  if (samples < UPTIME_SAMPLES_MIN) return null;
  const success = buckets.reduce((sum, bucket) => sum + bucket.success, 0);
  return +((100 * success) / samples).toFixed(3);
}

function counted(buckets: readonly WeekBucket[]): number {
  return buckets.reduce((sum, bucket) => sum + bucket.success + bucket.error, 0);
}

function ttftOf(bucket: Bucket): Histogram {
  return bucket.ttft;
}

function throughputOf(bucket: Bucket): Histogram {
  return bucket.throughput;
}

function responseOf(bucket: Bucket): Histogram {
  return bucket.response ?? {};
}
