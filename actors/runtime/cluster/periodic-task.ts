import type { Cancel, Clock } from '../ports/clock.ts';
import { type Log, textOf } from './log.ts';

export interface PeriodicTaskParts {
  /** For the log: `row sweep`. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Until the next round, asked after each. */
  readonly everyMs: () => number;
  /** One round. May ask now and then whether it was stopped. */
  readonly run: (stopped: () => boolean) => Promise<void>;
}

/** Work that a node does again and again beside everything else, one round at a time. A round that fails is logged. */
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
