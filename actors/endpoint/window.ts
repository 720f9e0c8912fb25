/**
 * Measurements of one endpoint in mergeable buckets: minutes for the last half hour, half hours for the last day. A bucket
 * too old is dropped when a new one begins, so at most 31 + 49 stand. Pure; the time of every observation is given.
 */
import type { Measured } from '../terms/endpoint.ts';
import { type Histogram, type HistogramDraft, percentiles, record, samplesIn } from './histogram.ts';

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const DAY_MS = 48 * HALF_HOUR_MS;

/** Gates and marks of the catalogue (spec: catalogue, Model endpoint object). */
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
}

export interface Windows {
  /** Oldest first. */
  readonly minutes: readonly Bucket[];
  readonly halfHours: readonly Bucket[];
}

/** How one upstream attempt went. Times in ms; `other` (refused by its own content, called off) counts for nothing. */
export interface ObservedAttempt {
  readonly at?: number;
  readonly outcome: 'success' | 'error' | 'other';
  readonly ttftMs?: number;
  readonly completionTokens?: number;
  readonly durationMs?: number;
  readonly streamed: boolean;
  /** Of an ask that demanded a tool call: whether one came. Absent: none was demanded, or its end says nothing. */
  readonly toolAsk?: 'kept' | 'broken';
}

export const NO_WINDOWS: Windows = { minutes: [], halfHours: [] };

/** Adds attempts, each to the bucket of its time; one older than the newest bucket counts in the newest. */
export function measure(windows: Windows, attempts: readonly ObservedAttempt[], at: number): Windows {
  return {
    minutes: gather(windows.minutes, attempts, { at, bucketMs: MINUTE_MS, spanMs: HALF_HOUR_MS }),
    halfHours: gather(windows.halfHours, attempts, { at, bucketMs: HALF_HOUR_MS, spanMs: DAY_MS }),
  };
}

/** The figures as they stand at `at`; null below their gates. */
export function figures(windows: Windows, at: number): Measured {
  const last5m = since(windows.minutes, at - 5 * MINUTE_MS, MINUTE_MS);
  const last30m = since(windows.minutes, at - HALF_HOUR_MS, MINUTE_MS);
  const last1d = since(windows.halfHours, at - DAY_MS, HALF_HOUR_MS);
  const throughput = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: true };
  const ttft = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: false };
  return {
    uptime5m: uptime(last5m),
    uptime30m: uptime(last30m),
    uptime1d: uptime(last1d),
    uptime5mSamples: counted(last5m),
    uptime30mSamples: counted(last30m),
    uptime1dSamples: counted(last1d),
    ttft30m: percentiles(last30m.map(ttftOf), ttft),
    ttft1d: percentiles(last1d.map(ttftOf), ttft),
    ttft30mSamples: samplesIn(last30m.map(ttftOf)),
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
}

/** Copies each bucket it changes once, however many attempts fall into it. */
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
        draft = { ...last, ttft: { ...last.ttft }, throughput: { ...last.throughput } };
        kept.pop();
      } else {
        draft = { start, success: 0, error: 0, ttft: {}, throughput: {} };
        kept = kept.filter((bucket) => bucket.start + bucketMs > start - spanMs);
      }
    }
    count(draft, attempt);
  }
  if (draft !== null) kept.push(draft);
  return kept;
}

function count(draft: Draft, attempt: ObservedAttempt): void {
  const { outcome, ttftMs, streamed } = attempt;
  if (outcome === 'success') draft.success++;
  if (outcome === 'error') draft.error++;
  if (streamed && ttftMs !== undefined) record(draft.ttft, ttftMs / 1000);
  const speed = speedOf(attempt);
  if (speed !== null) record(draft.throughput, speed);
}

/** Completion tokens over the whole time of a streamed success; null where it says too little. */
function speedOf({ outcome, streamed, completionTokens, durationMs }: ObservedAttempt): number | null {
  if (outcome !== 'success' || !streamed || completionTokens === undefined || durationMs === undefined) return null;
  return completionTokens >= THROUGHPUT_TOKENS_MIN && durationMs > 0 ? (completionTokens * 1000) / durationMs : null;
}

/** Buckets that reach into the window. */
function since(buckets: readonly Bucket[], from: number, bucketMs: number): readonly Bucket[] {
  return buckets.filter((bucket) => bucket.start + bucketMs > from);
}

function uptime(buckets: readonly Bucket[]): number | null {
  const samples = counted(buckets);
  if (samples < UPTIME_SAMPLES_MIN) return null;
  const success = buckets.reduce((sum, bucket) => sum + bucket.success, 0);
  return +((100 * success) / samples).toFixed(3);
}

function counted(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, bucket) => sum + bucket.success + bucket.error, 0);
}

function ttftOf(bucket: Bucket): Histogram {
  return bucket.ttft;
}

function throughputOf(bucket: Bucket): Histogram {
  return bucket.throughput;
}
