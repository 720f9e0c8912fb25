/**
 * A logarithmic histogram of positive figures as plain JSON. Bin `i` covers (G^(i-1), G^i] and is read as its middle,
 * so every percentile is within 2 % of the true one. Counts are additive, so windows merge. Not taken from a package
 * because a snapshot must be JSON: the only portable form of hdr-histogram is compressed binary, which every step would
 * decode and encode again.
 */
import type { Percentiles } from '../terms/endpoint.ts';

const ERROR_MAX = 0.02;
const GROWTH = (1 + ERROR_MAX) / (1 - ERROR_MAX);
const LOG_GROWTH = Math.log(GROWTH);
/** Resolution: figures below a tenth of a millisecond, or of a token per second, share one bin. */
const FIGURE_MIN = 1e-4;
/** 128 bins span a factor of 166; figures below the highest 128 bins are counted in the lowest of them. */
export const BINS_MAX = 128;

/** Counts by bin number. */
export type Histogram = Readonly<Record<string, number>>;

/** A mutable histogram, used within the step that creates it. */
export type HistogramDraft = Record<string, number>;

/** Adds one figure to a draft; ignores negative and non-finite figures. */
export function record(draft: HistogramDraft, figure: number): void {
  if (!Number.isFinite(figure) || figure < 0) return;
  const bin = String(Math.ceil(Math.log(Math.max(figure, FIGURE_MIN)) / LOG_GROWTH));
  const count = draft[bin] ?? 0;
  draft[bin] = count + 1;
  if (count === 0) bound(draft);
}

export function samplesIn(histograms: readonly Histogram[]): number {
  let samples = 0;
  for (const histogram of histograms) for (const bin in histogram) samples += histogram[bin] ?? 0;
  return samples;
}

/**
 * Percentiles over several histograms together; null below `samplesMin`. With `floors`, a percentile is the figure that
 * this share of the samples meets or exceeds (spec: catalogue, throughput); without, the figure that this share does
 * not exceed.
 */
export function percentiles(
  histograms: readonly Histogram[],
  { samplesMin, floors }: { readonly samplesMin: number; readonly floors: boolean },
): Percentiles | null {
  const counts = new Map<number, number>();
  let samples = 0;
  for (const histogram of histograms) {
    for (const [bin, count] of Object.entries(histogram)) {
      counts.set(+bin, (counts.get(+bin) ?? 0) + count);
      samples += count;
    }
  }
  if (samples < samplesMin) return null;
  const bins = [...counts].sort(floors ? ([a], [b]) => b - a : ([a], [b]) => a - b);
  const at = (part: number): number => figureAt(bins, Math.max(1, Math.ceil(part * samples)));
  return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
}

/** The figure of the sample with this rank, rounded to the histogram's precision. */
function figureAt(bins: readonly (readonly [number, number])[], rank: number): number {
  let seen = 0;
  for (const [bin, count] of bins) {
    seen += count;
    if (seen >= rank) return +((2 * GROWTH ** bin) / (GROWTH + 1)).toPrecision(4);
  }
  return 0;
}

/** Merges the lowest bin into the next one when there are too many bins. */
function bound(draft: HistogramDraft): void {
  const bins = Object.keys(draft);
  if (bins.length <= BINS_MAX) return;
  let lowest = Number.POSITIVE_INFINITY;
  let next = Number.POSITIVE_INFINITY;
  for (const name of bins) {
    const bin = +name;
    if (bin < lowest) {
      next = lowest;
      lowest = bin;
    } else if (bin < next) next = bin;
  }
  draft[next] = (draft[next] ?? 0) + (draft[lowest] ?? 0);
  delete draft[lowest];
}
