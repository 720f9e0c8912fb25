import type { Cancel, Clock } from '../ports/clock.ts';
import { type Log, textOf } from '../ports/log.ts';

interface PeriodicTaskParts {
  /** For the log, e.g. `row sweep`. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Delay until the next round, read after each round. */
  readonly everyMs: () => number;
  /** One round. A long one should check `stopped` from time to time. */
  readonly run: (stopped: () => boolean) => Promise<void>;
}

/** Background work that a node repeats, one round at a time. A failed round is logged. */
export class PeriodicTask {
  readonly #parts: PeriodicTaskParts;
  #timer: Cancel = () => {};
  #stopped = false;

  constructor(parts: PeriodicTaskParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#stopped) return;
    const { clock, everyMs, run, log, name } = this.#parts;
    this.#timer = clock.after(everyMs(), () => {
      run(() => this.#stopped)
        .catch((error: unknown) => log({ level: 'warn', message: `${name} failed`, why: textOf(error) }))
        .finally(() => this.start());
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer();
  }
}
