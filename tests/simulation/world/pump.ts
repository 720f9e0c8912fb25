import { Dice } from './dice.ts';
import { Scheduler } from './scheduler.ts';

/** Advances virtual time by itself, until stopped: for tests that await what happens in a world. */
export class Pump {
  readonly dice: Dice;
  readonly scheduler: Scheduler;
  #stopped = false;

  constructor(seed = 1) {
    this.dice = new Dice(seed);
    this.scheduler = new Scheduler(this.dice.fork());
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.scheduler.run(() => this.#stopped);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
