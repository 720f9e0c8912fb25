/** How long a benchmark may take: `seconds` per round, rounds alternate between the two sides, medians are kept. */
export interface Settings {
  readonly seconds: number;
  readonly rounds: number;
  /** Length of the soak. */
  readonly minutes: number;
  /** Accounts of the larger store, where growth is measured. */
  readonly accounts: number;
}
