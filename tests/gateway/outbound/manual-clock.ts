import type { Clock } from '../../../actors/runtime/index.ts';

/** A clock that a test moves. Timers run in order of their time, each at its own moment. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return 1_750_000_000_000 + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get armed(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.run();
    }
    this.#now = until;
  }
}
