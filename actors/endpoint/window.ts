/**
 * Measurements of one endpoint in mergeable buckets: minutes for the last half hour, half hours for the last day, and
 * counts alone for the last week. Expired buckets are dropped when a new one begins, so there are at most 31 + 49 + 43.
 * Pure: each observation has its time.
 */
import type { AttemptCounts, CallFailure, Measured, Percentiles } from '../terms/endpoint.ts';
import { type Histogram, type HistogramDraft, percentiles, record, samplesIn } from './histogram.ts';
import { type Render, renderFigures, withRenders } from './renders.ts';

const MINUTE_MS = 60_000;
const MINUTES: Ring = { bucketMs: MINUTE_MS, spanMs: 30 * MINUTE_MS };
const FIVE_MINUTES: Ring = { bucketMs: MINUTE_MS, spanMs: 5 * MINUTE_MS };
export const HALF_HOUR_MS = 30 * MINUTE_MS;
const HALF_HOURS: Ring = { bucketMs: HALF_HOUR_MS, spanMs: 24 * 60 * MINUTE_MS };

/** Sample minimums of the catalogue (rule C30). */
const UPTIME_SAMPLES_MIN = 10;
const PERCENTILE_SAMPLES_MIN = 5;
const RUNAWAY_SAMPLES_MIN = 50;
/** Categories of failures counted by name in one bucket; errors of further ones are counted as `other`. */
const CAUSES_MAX = 32;
const THROUGHPUT_TOKENS_MIN = 16;
const SECONDS = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: false };
const THROUGHPUT = { samplesMin: PERCENTILE_SAMPLES_MIN, floors: true };

export interface Bucket {
  /** Store time, ms. */
  readonly start: number;
  readonly success: number;
  readonly error: number;
  /** Long replies whose text was read, and those of them that ended repeating their own tail. */
  readonly long: number;
  readonly runaway: number;
  /** Tokens of the successes, and errors by category. */
  readonly tokens: number;
  readonly causes: Readonly<Record<string, number>>;
  /** Seconds to the first token; completion tokens per second; seconds of a whole success, streamed or not. */
  readonly ttft: Histogram;
  readonly throughput: Histogram;
  readonly response: Histogram;
}

export interface Windows {
  /** Oldest first. */
  readonly minutes: readonly Bucket[];
  readonly halfHours: readonly Bucket[];
  readonly week: readonly WeekBucket[];
  readonly renders: readonly Render[];
}

/** The result of one upstream attempt. Times in ms; `other` (refused for its content, or aborted) is not counted. */
export interface ObservedAttempt extends CountedAttempt {
  /** A short tag of the account behind it. */
  readonly by?: string;
  readonly ttftMs?: number;
  readonly completionTokens?: number;
  /** Prompt and completion tokens together. */
  readonly tokens?: number;
  /** A failure that is the provider's fault; also of one that does not count, such as 429. */
  readonly failure?: CallFailure;
  readonly durationMs?: number;
  readonly streamed: boolean;
  /**
   * Whether a demanded tool call was made. Absent when none was demanded, or when the end of the answer does not tell.
   */
  readonly toolAsk?: 'kept' | 'broken';
  /** Whether a long reply ended repeating its own tail. Absent for a short reply, or where its text was not read. */
  readonly runaway?: boolean;
  /** Pixels of the reply's only image. */
  readonly renderPixels?: number;
}

export const NO_WINDOWS: Windows = { minutes: [], halfHours: [], week: [], renders: [] };

/** Adds each attempt to the buckets of its time. */
export function measure(windows: Windows, attempts: readonly ObservedAttempt[], at: number): Windows {
  return {
    minutes: gather<ObservedAttempt, Bucket, Draft>(windows.minutes, attempts, { at, ring: MINUTES, draft, count }),
    halfHours: gather<ObservedAttempt, Bucket, Draft>(windows.halfHours, attempts, {
      at,
      ring: HALF_HOURS,
      draft,
      count,
    }),
    week: countWeek(windows.week, attempts, at),
    renders: withRenders(
      windows.renders,
      attempts.flatMap((attempt) => renderOf(attempt, at)),
    ),
  };
}

/** The figures at `at`; null below their sample minimums. */
export function figures(windows: Windows, at: number): Measured {
  const last5m = since(windows.minutes, at, FIVE_MINUTES);
  const last30m = since(windows.minutes, at, MINUTES);
  const last1d = since(windows.halfHours, at, HALF_HOURS);
  const renders = renderFigures(windows.renders, at);
  return {
    uptime5m: uptime(last5m),
    uptime30m: uptime(last30m),
    uptime1d: uptime(last1d),
    uptime7d: uptime(weekOf(windows.week, at)),
    uptime5mSamples: counted(last5m),
    uptime30mSamples: counted(last30m),
    uptime1dSamples: counted(last1d),
    ttft30m: percentiles(last30m.map(ttftOf), SECONDS),
    ttft1d: percentiles(last1d.map(ttftOf), SECONDS),
    ttft30mSamples: samplesIn(last30m.map(ttftOf)),
    response30m: percentiles(last30m.map(responseOf), SECONDS),
    response1d: percentiles(last1d.map(responseOf), SECONDS),
    throughput30m: percentiles(last30m.map(throughputOf), THROUGHPUT),
    throughput1d: percentiles(last1d.map(throughputOf), THROUGHPUT),
    throughput30mSamples: samplesIn(last30m.map(throughputOf)),
    throughput1dSamples: samplesIn(last1d.map(throughputOf)),
    ...runaways(last1d),
    renderTiming: renders.timing,
    renderTimingSamples: renders.samples,
    renderTimingSizes: renders.sizes,
    counts30m: countsOf(last30m),
    counts1d: countsOf(last1d),
  };
}

/** The percentiles of one bucket alone. */
export function bucketFigures(bucket: Bucket): {
  readonly [figure in 'ttft' | 'response' | 'throughput']: Percentiles | null;
} {
  const { ttft, response, throughput } = bucket;
  return {
    ttft: percentiles([ttft], SECONDS),
    response: percentiles([response], SECONDS),
    throughput: percentiles([throughput], THROUGHPUT),
  };
}

interface Draft {
  readonly start: number;
  success: number;
  error: number;
  long: number;
  runaway: number;
  tokens: number;
  readonly causes: Record<string, number>;
  readonly ttft: HistogramDraft;
  readonly throughput: HistogramDraft;
  readonly response: HistogramDraft;
}

const EMPTY: Omit<Bucket, 'start'> = {
  success: 0,
  error: 0,
  long: 0,
  runaway: 0,
  tokens: 0,
  causes: {},
  ttft: {},
  throughput: {},
  response: {},
};

function draft(start: number, from: Omit<Bucket, 'start'> = EMPTY): Draft {
  const [ttft, throughput, response] = [{ ...from.ttft }, { ...from.throughput }, { ...from.response }];
  return { ...from, start, causes: { ...from.causes }, ttft, throughput, response };
}

function count(draft: Draft, attempt: ObservedAttempt): void {
  const { outcome, ttftMs, durationMs, streamed, runaway } = attempt;
  if (outcome === 'success') draft.success++;
  if (outcome === 'error') {
    draft.error++;
    countCause(draft.causes, attempt.failure?.category ?? 'unknown');
  }
  if (outcome === 'success') draft.tokens += attempt.tokens ?? 0;
  if (streamed && ttftMs !== undefined) record(draft.ttft, ttftMs / 1000);
  if (outcome === 'success' && durationMs !== undefined) record(draft.response, durationMs / 1000);
  const speed = speedOf(attempt);
  if (speed !== null) record(draft.throughput, speed);
  if (runaway !== undefined) draft.long++;
  if (runaway === true) draft.runaway++;
}

function countCause(causes: Record<string, number>, cause: string): void {
  const name = Object.hasOwn(causes, cause) || Object.keys(causes).length < CAUSES_MAX ? cause : 'other';
  causes[name] = (causes[name] ?? 0) + 1;
}

function countsOf(buckets: readonly Bucket[]): AttemptCounts {
  const causes: Record<string, number> = {};
  let [success, error, tokens] = [0, 0, 0];
  for (const bucket of buckets) {
    success += bucket.success;
    error += bucket.error;
    tokens += bucket.tokens;
    for (const [cause, count] of Object.entries(bucket.causes)) causes[cause] = (causes[cause] ?? 0) + count;
  }
  return { success, error, tokens, causes };
}

function renderOf({ outcome, at = Number.POSITIVE_INFINITY, durationMs, renderPixels }: ObservedAttempt, now: number) {
  if (outcome !== 'success' || renderPixels === undefined || durationMs === undefined) return [];
  return [{ at: Math.min(at, now), pixels: renderPixels, ms: Math.round(durationMs) }];
}

/**
 * Completion tokens per second over the whole time of a streamed success; null when the attempt has too little data.
 */
function speedOf({ outcome, streamed, completionTokens, durationMs }: ObservedAttempt): number | null {
  if (outcome !== 'success' || !streamed || completionTokens === undefined || durationMs === undefined) return null;
  return completionTokens >= THROUGHPUT_TOKENS_MIN && durationMs > 0 ? (completionTokens * 1000) / durationMs : null;
}

function uptime(buckets: readonly WeekBucket[]): number | null {
  const samples = counted(buckets);
  if (samples < UPTIME_SAMPLES_MIN) return null;
  const success = buckets.reduce((sum, bucket) => sum + bucket.success, 0);
  return +((100 * success) / samples).toFixed(3);
}

/** Percent of the long replies. */
function runaways(buckets: readonly Bucket[]): Pick<Measured, 'runaway1d' | 'runaway1dSamples'> {
  const long = buckets.reduce((sum, bucket) => sum + bucket.long, 0);
  const runaway = buckets.reduce((sum, bucket) => sum + bucket.runaway, 0);
  const percent = long < RUNAWAY_SAMPLES_MIN ? null : +((100 * runaway) / long).toFixed(3);
  return { runaway1d: percent, runaway1dSamples: long };
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
  return bucket.response;
}

/**
 * Observations in buckets of time, oldest first, at most `spanMs / bucketMs + 1` of them. An observation counts in the
 * bucket of its own time, also when it arrives late, so the order in which nodes report does not change a figure; one
 * older than the span before the newest bucket is dropped. Pure.
 */
export interface Ring {
  readonly bucketMs: number;
  readonly spanMs: number;
}

interface TimeBucket {
  /** Store time, ms. */
  readonly start: number;
}

interface Gathering<T, Bucket extends TimeBucket, Draft extends Bucket> {
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

/** Successes and errors of the last seven days in buckets of four hours, at most 43. Pure. (rule C33) */
const WEEK: Ring = { bucketMs: 4 * 60 * 60_000, spanMs: 7 * 24 * 60 * 60_000 };

interface WeekBucket {
  /** Store time, ms. */
  readonly start: number;
  readonly success: number;
  readonly error: number;
}

/** The part of an attempt that is counted; without a time it happened at the time of its message. */
interface CountedAttempt {
  readonly at?: number;
  readonly outcome: 'success' | 'error' | 'other';
}

/** Adds each success and error to the bucket of its time. */
function countWeek(
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
function weekOf(buckets: readonly WeekBucket[], at: number): readonly WeekBucket[] {
  return since(buckets, at, WEEK);
}
