import { type Clock, FairQueue } from '../../actors/runtime/index.ts';

/** Runs one kind of work for a bounded time in each turn of the event loop; the rest waits, by holder in turn. */
export class LoopShare {
  readonly #clock: Clock;
  readonly #leastMs: number;
  readonly #part: number;
  readonly #queue = new FairQueue<() => void>();
  #waiting = 0;
  #budgetMs: number;
  #spentMs = 0;

  /** A turn has `leastMs`, or `part` of the time that the rest of the turn took. */
  constructor(clock: Clock, leastMs: number, part: number) {
    this.#clock = clock;
    this.#leastMs = leastMs;
    this.#part = part;
    this.#budgetMs = leastMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Time spent since the budget was renewed. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** Runs now if this turn has time left, else later. */
  add(holder: string, work: () => void): void {
    if (this.#waiting === 0 && this.#spentMs < this.#budgetMs) {
      this.run(work);
      return;
    }
    this.#waiting++;
    this.#queue.add(holder, work);
  }

  /** Runs now, and counts its time. */
  run(work: () => void): void {
    const beganAt = this.#clock.monotonic();
    work();
    this.#spentMs += this.#clock.monotonic() - beganAt;
  }

  /** Renews the budget and runs what waits within it. `restMs`: time of the last turn without this work. */
  serve(restMs: number): void {
    this.#budgetMs = Math.max(this.#leastMs, restMs * this.#part);
    this.#spentMs = 0;
    while (this.#waiting > 0 && this.#spentMs < this.#budgetMs) {
      this.#waiting--;
      this.run(this.#queue.take() as () => void);
    }
  }
}
