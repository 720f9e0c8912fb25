/**
 * Time during which an observer watched, in ms: the measure of how long others have been silent. It follows the
 * observer's monotonic clock, but between two calls of `advance` it passes by at most `gapMsMax`, so that the observer's
 * own stall is not the others' silence.
 */
export class Attention {
  readonly #gapMsMax: number;
  #passed = 0;
  #advancedAt: number | null = null;

  constructor(gapMsMax: number) {
    this.#gapMsMax = gapMsMax;
  }

  /** The attention at this monotonic time, which is not before the last `advance`. */
  at(now: number): number {
    return this.#passed + (this.#advancedAt === null ? 0 : Math.min(now - this.#advancedAt, this.#gapMsMax));
  }

  /** Returns the attention at this monotonic time. */
  advance(now: number): number {
    this.#passed = this.at(now);
    this.#advancedAt = now;
    return this.#passed;
  }
}
