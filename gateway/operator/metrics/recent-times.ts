/** Times that are kept: enough for a p99 of the last moments. */
const KEPT = 1_024;

/** The newest times of one kind, and the percentiles of them. */
export class RecentTimes {
  readonly #times: number[] = [];
  #next = 0;

  add(ms: number): void {
    this.#times[this.#next] = ms;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** `percent` of the newest times are at most as long, ms; null before the first. */
  percentile(percent: number): number | null {
    const sorted = [...this.#times].sort((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? null;
  }
}
