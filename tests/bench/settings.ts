/** How long a benchmark may take: `seconds` per round, rounds alternate between the two sides, medians are kept. */
export interface Settings {
  readonly seconds: number;
  readonly rounds: number;
}
