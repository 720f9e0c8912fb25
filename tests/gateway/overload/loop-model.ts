import type { Clock } from '../../../actors/runtime/index.ts';

/** More than any task of a test chains. */
const MICROTASKS = 6;

interface Task {
  readonly loop: LoopModel;
  readonly at: number;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * A machine with one event loop, in virtual time: a task that is due runs once the tasks before it have spent their
 * time, so timers are late exactly as they are in a process with more work than time. `beside` has a loop of its own on
 * the same line of time.
 */
export class LoopModel implements Clock {
  /** Time that the tasks spent. */
  worked = 0;
  #now = 0;
  readonly #tasks: Task[];

  constructor(beside: LoopModel | null = null) {
    this.#tasks = beside === null ? [] : beside.#tasks;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#add(this, this.#now + delayMs, run);
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

  /** Resolves on another loop of the line, `ms` later and as soon as that has time. */
  send(to: LoopModel, ms: number): Promise<void> {
    return new Promise((resolve) => void this.#add(to, this.#now + ms, resolve));
  }

  /** Runs every task due before `until`. */
  async run(until: number): Promise<void> {
    for (let next = this.#next(); next !== null && next.at <= until; next = this.#next()) await this.step();
  }

  /** Runs the next task, and its microtasks. */
  async step(): Promise<void> {
    const next = this.#next();
    if (next !== null) {
      this.#tasks.splice(this.#tasks.indexOf(next), 1);
      if (!next.cancelled) {
        next.loop.#now = startOf(next);
        next.run();
      }
    }
    for (let i = 0; i < MICROTASKS; i++) await null;
  }

  /** The task that can begin first. */
  #next(): Task | null {
    let first: Task | null = null;
    for (const task of this.#tasks) {
      if (first === null || startOf(task) < startOf(first)) first = task;
      // Later ones begin later still: they are in the order of their times.
      if (startOf(first) <= task.at) break;
    }
    return first;
  }

  #add(loop: LoopModel, at: number, run: () => void): () => void {
    const task: Task = { loop, at, run, cancelled: false };
    let place = this.#tasks.length;
    while (place > 0 && (this.#tasks[place - 1] as Task).at > at) place--;
    this.#tasks.splice(place, 0, task);
    return () => {
      task.cancelled = true;
    };
  }
}

/** When the loop of a task has time for it. */
function startOf({ loop, at }: Task): number {
  return Math.max(at, loop.monotonic());
}
