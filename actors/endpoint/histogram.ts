/**
 * A logarithmic histogram of positive figures as plain JSON: counts by bin. Bins, their figures and the ranks among them
 * are those of DDSketch, so every percentile is within 2 % of the true one. Counts are additive, so windows merge. The
 * counts are kept here because a snapshot is JSON that no step may change, while the package keeps its counts in an
 * object of its own.
 */
import { DDSketch } from '@datadog/sketches-js';
import type { Percentiles } from '../terms/endpoint.ts';

const ACCURACY = { relativeAccuracy: 0.02 } as const;
/** Assigns figures to bins, and bins to figures; it holds no samples. */
const { mapping } = new DDSketch(ACCURACY);
/** Seconds, or tokens per second; a figure beyond them counts as the nearest. So there are at most 404 bins. */
const FIGURE_MIN = 1e-3;
const FIGURE_MAX = 1e4;
export const BINS_MAX = mapping.key(FIGURE_MAX) - mapping.key(FIGURE_MIN) + 1;

/** Counts by bin number. */
export type Histogram = Readonly<Record<string, number>>;

/** A mutable histogram, used within the step that creates it. */
export type HistogramDraft = Record<string, number>;

/** Adds one figure to a draft; ignores negative and non-finite figures. */
export function record(draft: HistogramDraft, figure: number): void {
  if (!Number.isFinite(figure) || figure < 0) return;
  const bin = mapping.key(Math.min(FIGURE_MAX, Math.max(FIGURE_MIN, figure)));
  draft[bin] = (draft[bin] ?? 0) + 1;
}

export function samplesIn(histograms: readonly Histogram[]): number {
  let samples = 0;
  for (const histogram of histograms) for (const bin in histogram) samples += histogram[bin] ?? 0;
  return samples;
}

/**
 * Percentiles over several histograms together; null below `samplesMin`. With `floors`, a percentile is the figure that
 * this share of the samples meets or exceeds (rule C32); without, the figure that this share does not exceed.
 */
export function percentiles(
  histograms: readonly Histogram[],
  { samplesMin, floors }: { readonly samplesMin: number; readonly floors: boolean },
): Percentiles | null {
  const { store } = new DDSketch(ACCURACY);
  for (const histogram of histograms) for (const bin in histogram) store.add(+bin, histogram[bin]);
  const samples = store.count;
  if (samples < samplesMin) return null;
  const at = (percent: number): number => {
    const reached = Math.max(1, Math.ceil((percent * samples) / 100));
    const key = store.keyAtRank(floors ? samples - reached : reached - 1);
    return +mapping.value(key).toPrecision(4);
  };
  return { p50: at(50), p75: at(75), p90: at(90), p99: at(99) };
}
