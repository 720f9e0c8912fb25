/** Duration of a benchmark: `seconds` per round; rounds alternate between the two sides; the result is the median. */
export interface Settings {
  readonly seconds: number;
  readonly rounds: number;
  /** Length of the soak. */
  readonly minutes: number;
  /** Accounts of a large store; null: as many as the benchmark usually has. */
  readonly accounts: number | null;
}
