import type { Clock } from '../../../actors/runtime/index.ts';

/** More than any task of a test chains. */
const MICROTASKS = 6;

interface Task {
  readonly at: number;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * A machine with one event loop, in virtual time: a task that is due runs once the tasks before it have spent their
 * time, so timers are late exactly as they are in a process with more work than time.
 */
export class LoopModel implements Clock {
  /** Time that the tasks spent. */
  worked = 0;
  #now = 0;
  readonly #tasks: Task[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const task: Task = { at: this.#now + delayMs, run, cancelled: false };
    let place = this.#tasks.length;
    while (place > 0 && (this.#tasks[place - 1] as Task).at > task.at) place--;
    this.#tasks.splice(place, 0, task);
    return () => {
      task.cancelled = true;
    };
  }

  /** The task that runs takes this much of the loop's time. */
  spend(ms: number): void {
    this.#now += ms;
    this.worked += ms;
  }

  /** Resolves after `ms` of waiting for somebody else, then as soon as the loop has time. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Runs every task due before `until`. */
  async run(until: number): Promise<void> {
    while ((this.#tasks[0]?.at ?? Number.POSITIVE_INFINITY) <= until) await this.step();
  }

  /** Runs the next task, and its microtasks. */
  async step(): Promise<void> {
    const next = this.#tasks.shift();
    if (next !== undefined && !next.cancelled) {
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    for (let i = 0; i < MICROTASKS; i++) await null;
  }
}
