import { FairQueue } from '../../actors/runtime/index.ts';

/**
 * Runs work of one kind one piece at a time, holders in turn: what one of them has waiting delays another by one piece at
 * most. It is unbounded: its callers bound how many pieces wait.
 */
export class OneAtATime {
  readonly #queue = new FairQueue<() => Promise<void>>();
  #isRunning = false;

  /** Resolves or rejects as `work` does. */
  run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.add(holder, () => work().then(resolve, reject));
      this.#next();
    });
  }

  #next(): void {
    if (this.#isRunning) return;
    const begin = this.#queue.take();
    if (begin === null) return;
    this.#isRunning = true;
    void begin().then(() => {
      this.#isRunning = false;
      this.#next();
    });
  }
}
