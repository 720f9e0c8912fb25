export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Sorts the values. */
export function percentiles(values: number[]): Percentiles {
  values.sort((a, b) => a - b);
  const at = (share: number): number =>
    values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
