/**
 * Demanded tool asks (required or named choice) of the last day, in mergeable half-hour buckets, at most 49. Pure: each
 * observation has its time. (spec: catalogue, `tool_call_success_1d`)
 */
import { TOOL_CALL_SUCCESS_MIN } from '../terms/endpoint.ts';
import type { ObservedAttempt } from './window.ts';

const BUCKET_MS = 30 * 60_000;
const DAY_MS = 48 * BUCKET_MS;
const SAMPLES_MIN = 20;

export interface ToolAsks {
  /** Store time, ms. */
  readonly start: number;
  readonly kept: number;
  readonly broken: number;
}

export interface ToolFidelity {
  /** Percent; null below 20 samples. */
  readonly percent: number | null;
  readonly samples: number;
  readonly underFloor: boolean;
}

/** Adds the asks among these attempts; one older than the newest bucket counts in the newest. */
export function countAsks(
  buckets: readonly ToolAsks[],
  attempts: readonly Pick<ObservedAttempt, 'at' | 'toolAsk'>[],
  at: number,
): readonly ToolAsks[] {
  let kept = buckets;
  for (const { toolAsk, at: askedAt = at } of attempts) {
    if (toolAsk !== undefined) kept = counted(kept, toolAsk, Math.min(askedAt, at));
  }
  return kept;
}

export function toolFidelity(buckets: readonly ToolAsks[], at: number): ToolFidelity {
  const live = buckets.filter(({ start }) => start + BUCKET_MS > at - DAY_MS);
  const kept = live.reduce((sum, bucket) => sum + bucket.kept, 0);
  const samples = live.reduce((sum, bucket) => sum + bucket.broken, kept);
  if (samples < SAMPLES_MIN) return { percent: null, samples, underFloor: false };
  const exact = (100 * kept) / samples;
  return { percent: +exact.toFixed(3), samples, underFloor: exact < TOOL_CALL_SUCCESS_MIN };
}

function counted(buckets: readonly ToolAsks[], ask: 'kept' | 'broken', at: number): readonly ToolAsks[] {
  const start = at - (at % BUCKET_MS);
  const last = buckets.at(-1);
  if (last !== undefined && last.start >= start) return [...buckets.slice(0, -1), { ...last, [ask]: last[ask] + 1 }];
  const young = buckets.filter((bucket) => bucket.start + BUCKET_MS > start - DAY_MS);
  return [...young, { start, kept: ask === 'kept' ? 1 : 0, broken: ask === 'broken' ? 1 : 0 }];
}
