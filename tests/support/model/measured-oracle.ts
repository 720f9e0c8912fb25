/**
 * Recomputes every measured figure of an endpoint from the raw log of its attempts. Independent code: no window, no
 * histogram, no running sum; each figure filters and sorts the whole log. (rule C30)
 */
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';

/** One attempt as a test logs it: `at` is its own time, ms. */
export type Logged = ObservedAttempt & { readonly at: number };

type Four = readonly [p50: number, p75: number, p90: number, p99: number] | null;

interface OracleFigures {
  readonly uptime: Readonly<Record<'5m' | '30m' | '1d' | '7d', number | null>>;
  readonly uptimeSamples: Readonly<Record<'5m' | '30m' | '1d', number>>;
  readonly ttft: Readonly<Record<'30m' | '1d', Four>>;
  readonly response: Readonly<Record<'30m' | '1d', Four>>;
  readonly throughput: Readonly<Record<'30m' | '1d', Four>>;
  readonly throughputSamples: Readonly<Record<'30m' | '1d', number>>;
  readonly ttft30mSamples: number;
  readonly toolCallSuccess: number | null;
  readonly toolCallSamples: number;
  readonly runaway: number | null;
  readonly runawaySamples: number;
  readonly render: { readonly fixed: number; readonly perMegapixel: number } | null;
  readonly renders: number;
  readonly sizes: number;
  readonly health: 'healthy' | 'degraded' | 'down' | 'unknown';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `log` in the order in which the endpoint received the attempts; `now` is not earlier than any of them. */
export function figuresOf(log: readonly Logged[], now: number): OracleFigures {
  const counted = log.filter(({ outcome }) => outcome === 'success' || outcome === 'error');
  const windows = {
    '5m': within(counted, now, 5 * MINUTE, MINUTE),
    '30m': within(counted, now, 30 * MINUTE, MINUTE),
    '1d': within(counted, now, DAY, 30 * MINUTE),
    '7d': within(counted, now, 7 * DAY, 4 * HOUR),
  };
  const asks = windows['1d'].flatMap(({ toolAsk }) => (toolAsk === undefined ? [] : [toolAsk === 'kept']));
  const replies = windows['1d'].flatMap(({ runaway }) => (runaway === undefined ? [] : [runaway]));
  const renders = rendersOf(counted, now);
  return {
    uptime: each(['5m', '30m', '1d', '7d'], (window) => share(windows[window].map(succeeded), 10)),
    uptimeSamples: each(['5m', '30m', '1d'], (window) => windows[window].length),
    ttft: each(['30m', '1d'], (window) => smallest(windows[window].flatMap(secondsToFirst))),
    response: each(['30m', '1d'], (window) => smallest(windows[window].flatMap(wholeSeconds))),
    throughput: each(['30m', '1d'], (window) => largest(windows[window].flatMap(speed))),
    throughputSamples: each(['30m', '1d'], (window) => windows[window].flatMap(speed).length),
    ttft30mSamples: windows['30m'].flatMap(secondsToFirst).length,
    toolCallSuccess: share(asks, 20),
    toolCallSamples: asks.length,
    runaway: share(replies, 50),
    runawaySamples: replies.length,
    render: line(renders),
    renders: renders.length,
    sizes: new Set(renders.map(({ x }) => x)).size,
    health: healthOf(counted.slice(-20)),
  };
}

/** A window is made of whole buckets: an attempt belongs to it while the bucket of its time overlaps it. */
function within(log: readonly Logged[], now: number, windowMs: number, bucketMs: number): readonly Logged[] {
  return log.filter(({ at }) => (Math.floor(at / bucketMs) + 1) * bucketMs > now - windowMs);
}

function each<K extends string, T>(names: readonly K[], of: (name: K) => T): Readonly<Record<K, T>> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, T>;
}

function succeeded({ outcome }: Logged): boolean {
  return outcome === 'success';
}

function share(samples: readonly boolean[], samplesMin: number): number | null {
  return samples.length < samplesMin ? null : (100 * samples.filter(Boolean).length) / samples.length;
}

function secondsToFirst({ streamed, ttftMs }: Logged): number[] {
  return streamed && ttftMs !== undefined ? [ttftMs / 1_000] : [];
}

function wholeSeconds({ outcome, durationMs }: Logged): number[] {
  return outcome === 'success' && durationMs !== undefined ? [durationMs / 1_000] : [];
}

function speed({ outcome, streamed, durationMs = 0, completionTokens = 0 }: Logged): number[] {
  const fits = outcome === 'success' && streamed && completionTokens >= 16 && durationMs > 0;
  return fits ? [completionTokens / (durationMs / 1_000)] : [];
}

/** The figures that 50, 75, 90 and 99 of a hundred do not exceed. */
function smallest(figures: readonly number[]): Four {
  return ranked([...figures].sort((a, b) => a - b));
}

/** The figures that 50, 75, 90 and 99 of a hundred meet or exceed. */
function largest(figures: readonly number[]): Four {
  return ranked([...figures].sort((a, b) => b - a));
}

function ranked(sorted: readonly number[]): Four {
  if (sorted.length < 5) return null;
  const at = (percent: number): number => {
    let rank = 1;
    while (rank * 100 < percent * sorted.length) rank++;
    return sorted[rank - 1] as number;
  };
  return [at(50), at(75), at(90), at(99)];
}

interface Point {
  /** Megapixels. */
  readonly x: number;
  /** Seconds. */
  readonly y: number;
}

/** The newest 200 renders of the last week. */
function rendersOf(counted: readonly Logged[], now: number): readonly Point[] {
  return counted
    .filter(({ outcome, renderPixels, durationMs }) => succeededRender(outcome, renderPixels, durationMs))
    .filter(({ at }) => now - at < 7 * DAY)
    .map((attempt, order) => ({ attempt, order }))
    .sort((a, b) => a.attempt.at - b.attempt.at || a.order - b.order)
    .slice(-200)
    .map(({ attempt }) => ({ x: Number(attempt.renderPixels) / 1e6, y: Number(attempt.durationMs) / 1e3 }));
}

function succeededRender(outcome: string, pixels?: number, durationMs?: number): boolean {
  return outcome === 'success' && pixels !== undefined && durationMs !== undefined;
}

/** The best of the three candidates by its squared error: the free line, and the two with one part of zero. */
function line(points: readonly Point[]): OracleFigures['render'] {
  if (points.length < 5 || new Set(points.map(({ x }) => x)).size < 2) return null;
  const n = points.length;
  const total = (of: (point: Point) => number): number => points.map(of).reduce((a, b) => a + b, 0);
  const [sx, sy, sxx, sxy] = [
    total(({ x }) => x),
    total(({ y }) => y),
    total(({ x }) => x * x),
    total((p) => p.x * p.y),
  ];
  const perMegapixel = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  const candidates = [
    { fixed: (sy - perMegapixel * sx) / n, perMegapixel },
    { fixed: sy / n, perMegapixel: 0 },
    { fixed: 0, perMegapixel: sxy / sxx },
  ].filter((each) => each.fixed >= 0 && each.perMegapixel >= 0);
  const error = (each: { fixed: number; perMegapixel: number }): number =>
    total(({ x, y }) => (y - each.fixed - each.perMegapixel * x) ** 2);
  return candidates.sort((a, b) => error(a) - error(b))[0] ?? null;
}

function healthOf(newest: readonly Logged[]): OracleFigures['health'] {
  if (newest.length < 5) return 'unknown';
  const successes = newest.filter(succeeded).length;
  if (successes * 10 >= newest.length * 9) return 'healthy';
  return successes * 10 >= newest.length * 6 ? 'degraded' : 'down';
}
