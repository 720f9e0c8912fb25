/** Beyond the bound, what accounts below their share may add to it. */
const OVER_FACTOR = 2;

/**
 * Requests under way by holder, so that one account cannot occupy a node: once the bound is reached, a request is
 * admitted only if its holder has fewer than its share of it. (rule E45)
 */
export class RunningRequests {
  readonly #max: number;
  readonly #by = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a further request of the holder may begin while `underWay` others run. */
  mayBegin(holder: string, underWay: number): boolean {
    if (underWay <= this.#max) return true;
    if (underWay > this.#max * OVER_FACTOR) return false;
    const holders = this.#by.size + (this.#by.has(holder) ? 0 : 1);
    return (this.#by.get(holder) ?? 0) < this.#max / holders;
  }

  begin(holder: string): void {
    this.#by.set(holder, (this.#by.get(holder) ?? 0) + 1);
  }

  end(holder: string): void {
    const left = (this.#by.get(holder) ?? 0) - 1;
    if (left > 0) this.#by.set(holder, left);
    else this.#by.delete(holder);
  }
}
