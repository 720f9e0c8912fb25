import type { Clock } from '../../../actors/runtime/index.ts';

interface Due {
  readonly at: number;
  readonly run: () => void;
}

/**
 * An event loop as a process has it, in virtual time: a turn runs every timer that is due, then every socket that is
 * readable, then what was to run in this turn. The time that one of them spends delays all behind it.
 */
export class TurnLoop implements Clock {
  turns = 0;
  #now = 0;
  #timers: Due[] = [];
  #sockets: Due[] = [];
  #immediates: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    if (delayMs <= 0) this.#immediates.push(run);
    else this.#timers.push({ at: this.#now + delayMs, run });
    return () => {};
  }

  /** A socket becomes readable in `ms`, whoever sends: another client, a provider, or another node. */
  arrives(ms: number, run: () => void): void {
    this.#sockets.push({ at: this.#now + ms, run });
  }

  spend(ms: number): void {
    this.#now += ms;
  }

  run(until: number): void {
    while (this.#now < until) {
      this.turns++;
      const nextAt = Math.min(until, ...[...this.#timers, ...this.#sockets].map(({ at }) => at));
      if (this.#immediates.length === 0) this.#now = Math.max(this.#now, nextAt);
      this.#timers = this.#phase(this.#timers);
      this.#sockets = this.#phase(this.#sockets);
      const immediates = this.#immediates;
      this.#immediates = [];
      for (const run of immediates) run();
    }
  }

  /** Runs what is due now; returns the rest and what was added meanwhile. */
  #phase(list: Due[]): Due[] {
    const due = list.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    const later = list.filter((each) => !due.includes(each));
    list.length = 0;
    for (const { run } of due) run();
    return [...later, ...list];
  }
}
