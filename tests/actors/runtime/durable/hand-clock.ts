import type { Clock } from '../../../../actors/runtime/ports/clock.ts';

interface Waiting {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that the test advances. Callbacks with a delay of 0 still run in the next turn of the real loop. */
export class HandClock implements Clock {
  private time: number;
  private readonly waiting = new Set<Waiting>();

  constructor(start = 1_000_000) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  /** Number of scheduled callbacks. */
  get armed(): number {
    return this.waiting.size;
  }

  after(delayMs: number, run: () => void): () => void {
    if (delayMs <= 0) {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    }
    const item = { at: this.time + delayMs, run };
    this.waiting.add(item);
    return () => this.waiting.delete(item);
  }

  /** Passes time in which no callback runs, as while an event loop stalls: the due ones run with the next `advance`. */
  stall(ms: number): void {
    this.time += ms;
  }

  /** Advances the clock and runs each due callback at its own time, with a turn of the loop after each. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const [next] = [...this.waiting].filter((item) => item.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.waiting.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await turns();
    }
    this.time = end;
    await turns();
  }

  /** Advances step by step until `holds` returns true. */
  async advanceUntil(stepMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
    do await this.advance(stepMs);
    while (!(await holds()));
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
