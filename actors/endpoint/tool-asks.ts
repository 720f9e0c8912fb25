/**
 * Demanded tool asks (required or named choice) of the last day, in mergeable half-hour buckets, at most 49. Pure: each
 * observation has its time. (rule C35)
 */
import { TOOL_CALL_SUCCESS_MIN } from '../terms/endpoint.ts';
import { gather, type Ring, since } from './buckets.ts';
import type { ObservedAttempt } from './window.ts';

const DAY: Ring = { bucketMs: 30 * 60_000, spanMs: 24 * 60 * 60_000 };
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

type Asked = Pick<ObservedAttempt, 'at' | 'toolAsk'>;

/** Adds the asks among these attempts, each to the bucket of its time. */
export function countAsks(buckets: readonly ToolAsks[], attempts: readonly Asked[], at: number): readonly ToolAsks[] {
  const asks = attempts.filter(({ toolAsk }) => toolAsk !== undefined);
  return gather<Asked, ToolAsks, { start: number; kept: number; broken: number }>(buckets, asks, {
    at,
    ring: DAY,
    draft: (start, from) => ({ kept: 0, broken: 0, ...from, start }),
    count: (bucket, { toolAsk }) => {
      if (toolAsk !== undefined) bucket[toolAsk]++;
    },
  });
}

export function toolFidelity(buckets: readonly ToolAsks[], at: number): ToolFidelity {
  const live = since(buckets, at, DAY);
  const kept = live.reduce((sum, bucket) => sum + bucket.kept, 0);
  const samples = live.reduce((sum, bucket) => sum + bucket.broken, kept);
  if (samples < SAMPLES_MIN) return { percent: null, samples, underFloor: false };
  const exact = (100 * kept) / samples;
  return { percent: +exact.toFixed(3), samples, underFloor: exact < TOOL_CALL_SUCCESS_MIN };
}
